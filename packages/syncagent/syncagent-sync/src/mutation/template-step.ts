import { get } from '@hawser/gjson';
import {
  compile,
  type FunctionMap,
  GoObject,
  type GoMap,
  type Template,
  TemplateError,
  trimSpace,
} from '@hawser/gotemplate';
import { setAt } from './at-path.js';
import type { Findings } from '../compilation.js';
import { MutationError } from './mutation-error.js';
import type { Step, Subject } from './step.js';
import { repeatableFunctions, timeFunctions } from './unrepeatable.js';
import { valueObject } from './value-object.js';

interface TemplateMutation {
  readonly path: string;
  readonly template: string;
}

/**
 * Sets a path to a template's result, as a string (spec/api-syncagent.md §13.5). Escapes values like html/template in
 * plain text.
 */
export function templateStep(
  { path, template: text }: TemplateMutation,
  field: string,
  findings: Findings,
  functions: FunctionMap,
): Step | undefined {
  if (path === '') {
    findings.error(`${field}.path`, 'is empty');
    return undefined;
  }
  const options = { html: true, name: 'mutation', functions: repeatableFunctions(functions) };
  let template: Template;
  try {
    template = compile(text, options);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    findings.error(`${field}.template`, error.message);
    return undefined;
  }
  if (refuses(text, { ...options, functions: { ...options.functions, ...timeFunctions } })) {
    findings.warning(
      `${field}.template`,
      'depends on the time: objects are written again whenever it yields something else',
    );
  }
  return (subject) => setAt(field, subject.self, path, trimSpace(render(template, dataOf(subject, path), field)));
}

function refuses(text: string, options: Parameters<typeof compile>[1]): boolean {
  try {
    compile(text, options);
    return false;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return true;
  }
}

function render(template: Template, data: GoObject, field: string): string {
  try {
    return template.render(data);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new MutationError(field, error.message, { cause: error });
  }
}

/**
 * `LocalObject` is the rewritten object, whichever side it is on: the Go agent's names. `Self` and `Other` are ours,
 * and mean what they say.
 */
function dataOf({ self, other }: Subject, path: string): GoObject {
  const own = self as unknown as GoMap;
  // Without the other object, all its fields are missing.
  const theirs = (other ?? {}) as unknown as GoMap;
  return new GoObject({
    type: 'mutation',
    fields: { Value: valueObject(get(self, path)), LocalObject: own, RemoteObject: theirs, Self: own, Other: theirs },
  });
}
