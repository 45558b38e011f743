import type { UnstructuredObject } from '@hawser/client';
import {
  compile,
  GoObject,
  type GoMap,
  type GoValue,
  type Template,
  TemplateError,
  trimSpace,
} from '@hawser/gotemplate';
import { repeatableFunctions } from '../mutation/index.js';
import type { EntryContext } from './entry-context.js';
import { relatedError } from './entry-context.js';
import type { PrimaryPair } from './primary-pair.js';

/** Renders data, and trims the result. @throws {RelatedError} `TemplateFailed` */
export type TextTemplate = (fields: Readonly<Record<string, GoValue>>) => string;

/** A Go template as naming has them too: no escaping (spec/api-syncagent.md §14). Nothing if it does not compile. */
export function textTemplate(text: string, field: string, context: EntryContext): TextTemplate | undefined {
  let template: Template;
  try {
    template = compile(text, { functions: repeatableFunctions(context.functions), name: 'inline' });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    context.findings.error(field, error.message);
    return undefined;
  }
  return (fields) => {
    try {
      return trimSpace(template.render(new GoObject({ type: 'related', fields })));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw relatedError(context, 'TemplateFailed', field, error.message, error);
    }
  };
}

/** An object as templates see it. */
export const templateData = (object: UnstructuredObject): GoMap => object as unknown as GoMap;

/** What every template knows of where the primary object lives. */
export const place = ({ cluster, path }: PrimaryPair) => ({ ClusterName: cluster, ClusterPath: path ?? '' });

/** What the templates of selectors know: here `LocalObject` is that on the service cluster. */
export const bothSides = (primary: PrimaryPair) => ({
  LocalObject: templateData(primary.service),
  RemoteObject: templateData(primary.kcp),
  ...place(primary),
});
