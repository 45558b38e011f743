import { compile, type FunctionMap, trimSpace } from '@hawser/gotemplate';

/** A template of a rule, compiled. */
export interface Rule {
  /** The text for some data, without white space around it. Throws a `TemplateError` of `@hawser/gotemplate`. */
  render(data: unknown): string;
}

/**
 * Compiles a template as the agent's naming and related rules have it (`spec/api-syncagent.md §14`): text/template, missing keys print `<no value>`, white
 * space around the result is dropped.
 *
 * @param field - named in messages: `spec.naming.name`
 * @throws {TemplateError} of `@hawser/gotemplate`, if it is not a template, or calls a function that is refused
 */
export function compileRule(text: string, field: string, functions: FunctionMap): Rule {
  const template = compile(text, { name: field, functions });
  return { render: (data) => trimSpace(template.render(data)) };
}
