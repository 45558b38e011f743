import type { UnstructuredObject } from '@hawser/client';
import { get } from '@hawser/gjson';
import type { JsonValue } from '@hawser/json';
import { trimSpace } from '@hawser/gotemplate';
import type { RelatedReference, TemplateExpression } from '@hawser/syncagent-api';
import { type EntryContext, opposite, primaryOn, relatedError } from '../entry-context.js';
import type { PrimaryPair } from '../primary-pair.js';
import { replacement } from '../replacement.js';
import { clusterFields, templateData, textTemplate } from '../text-template.js';

/** Maps names of originals to names of copies, from the primary object alone. @throws {RelatedError} */
export type Pairing = (primary: PrimaryPair) => ReadonlyMap<string, string>;

/**
 * Reads names from a field of the primary, on each side its own (spec/api-syncagent.md §12.3, §12.5). Pairs values by
 * position; omits a pair with an empty one. No value on the side of the originals: no names.
 */
export function referencePairing(
  { path, regex }: RelatedReference,
  field: string,
  context: EntryContext,
): Pairing | undefined {
  if (path === '') {
    context.findings.error(`${field}.path`, 'is empty');
    return undefined;
  }
  const rewrite = regex === undefined ? (value: string) => value : replacement(regex, `${field}.regex`, context);
  if (rewrite === undefined) return undefined;
  const valuesOf = (object: UnstructuredObject): readonly string[] => {
    const found = get(object as unknown as JsonValue, path);
    return (found.items ?? (found.exists ? [found] : [])).map(({ text }) => rewrite(trimSpace(text)));
  };
  return (primary) => {
    const origins = valuesOf(primaryOn(primary, context.origin));
    if (origins.length === 0) return new Map();
    const destinations = valuesOf(primaryOn(primary, opposite(context.origin)));
    if (destinations.length !== origins.length) {
      const reason = `${path} has ${origins.length} values in the object on the ${sideText(context.origin)}, and ${destinations.length} on the ${sideText(opposite(context.origin))}`;
      throw relatedError(context, 'CountMismatch', field, reason);
    }
    return new Map(
      origins.flatMap((origin, index) => {
        const destination = destinations[index] ?? '';
        return origin === '' || destination === '' ? [] : [[origin, destination] as const];
      }),
    );
  };
}

const sideText = (side: 'kcp' | 'service'): string => (side === 'kcp' ? 'side of kcp' : 'service cluster');

/** Renders a template once for each side (spec/api-syncagent.md §14.2). No names if either result is empty. */
export function templatePairing(
  { template: text = '' }: TemplateExpression,
  field: string,
  context: EntryContext,
): Pairing | undefined {
  const template = textTemplate(text, `${field}.template`, context);
  if (template === undefined) return undefined;
  const on = (primary: PrimaryPair, side: 'kcp' | 'service'): string =>
    template({ Side: side, Object: templateData(primaryOn(primary, side)), ...clusterFields(primary) });
  return (primary) => {
    const origin = on(primary, context.origin);
    const destination = on(primary, opposite(context.origin));
    return new Map(origin === '' || destination === '' ? [] : [[origin, destination]]);
  };
}
