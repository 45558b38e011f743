import type { UnstructuredObject } from '@hawser/client';
import type { RelatedRewrite } from '@hawser/syncagent-api';
import type { EntryContext } from '../entry-context.js';
import type { PrimaryPair } from '../primary-pair.js';
import { replacement } from '../replacement.js';
import { bothSides, templateData, textTemplate } from '../text-template.js';

/**
 * Maps a found name to the name on the other side. `object` is the object of that name; undefined for namespaces.
 * @throws {RelatedError}
 */
export type Rewrite = (name: string, object: UnstructuredObject | undefined, primary: PrimaryPair) => string;

/** A pattern goes before a template (spec/api-syncagent.md §2.8). */
export function compileRewrite(
  { regex, template: expression }: RelatedRewrite,
  field: string,
  context: EntryContext,
): Rewrite | undefined {
  context.findings.exactlyOne(field, { regex, template: expression });
  if (regex !== undefined) return replacement(regex, `${field}.regex`, context);
  if (expression === undefined) return undefined;
  const template = textTemplate(expression.template ?? '', `${field}.template.template`, context);
  if (template === undefined) return undefined;
  return (name, object, primary) =>
    template({ Value: name, RelatedObject: object === undefined ? null : templateData(object), ...bothSides(primary) });
}
