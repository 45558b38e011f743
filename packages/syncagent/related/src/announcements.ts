import { relatedAnnotation, relatedAnnotationPrefix } from '@hawser/syncagent-api';
import type { ResolvedPair } from './finding/find-objects.js';

/**
 * The annotations by which the primary object in kcp names the copies of one entry there, by the position of each pair (spec/api-syncagent.md §12.7). The
 * bytes are those of the Go agent: compact JSON, keys in this order, `apiVersion` and `kind` those of the original.
 */
export function announcementsOf(identifier: string, pairs: readonly ResolvedPair[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ origin: { object }, destination: { namespace, name } }, index) => {
    const { apiVersion, kind } = object;
    return [relatedAnnotation(identifier, index), JSON.stringify({ ...(namespace === undefined || namespace === '' ? {} : { namespace }), name, apiVersion, kind })];
  }));
}

/**
 * What to change in the annotations of a primary object for one entry, as the annotations of a merge patch: what is missing or different, and null for
 * positions that are not taken any more. Undefined if everything is as it should be.
 */
export function announcementPatch(identifier: string, pairs: readonly ResolvedPair[], annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string | null>> | undefined {
  const wanted = announcementsOf(identifier, pairs);
  const prefix = `${relatedAnnotationPrefix}${identifier}.`;
  const stale = Object.keys(annotations).filter((key) => key.startsWith(prefix) && /^[0-9]+$/u.test(key.slice(prefix.length)) && !Object.hasOwn(wanted, key));
  const changes = [...Object.entries(wanted).filter(([key, value]) => annotations[key] !== value), ...stale.map((key) => [key, null] as const)];
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
