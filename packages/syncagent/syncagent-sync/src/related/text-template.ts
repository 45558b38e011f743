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

/**
 * Compiles a Go template as in naming: without escaping (spec/api-syncagent.md §14). Undefined if it does not compile.
 */
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

/** Template fields about the primary object's logical cluster. */
export const clusterFields = ({ cluster, path }: PrimaryPair) => ({ ClusterName: cluster, ClusterPath: path ?? '' });

/** Template fields of selectors: here `LocalObject` is the object on the service cluster. */
export const bothSides = (primary: PrimaryPair) => ({
  LocalObject: templateData(primary.service),
  RemoteObject: templateData(primary.kcp),
  ...clusterFields(primary),
});
