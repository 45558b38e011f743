import type { RelatedWatch as WatchRules } from '@hawser/syncagent-api';
import type { EntryContext } from '../entry-context.js';
import { type Labels, labelMatcher } from '../selector/label-selector.js';

/** Whose turn it is when an object of the related type changes, beyond those that were resolved from it (spec/api-syncagent.md §12.8). */
export type RelatedWatch =
  /** The primaries that own it, see `ownersOf`. */
  | { readonly kind: 'byOwner' }
  /** All primaries on the side of the originals whose labels match. */
  | { readonly kind: 'bySelector'; readonly matches: (labels: Labels) => boolean };

export function compileWatch(
  watch: WatchRules | undefined,
  field: string,
  { findings }: EntryContext,
): RelatedWatch | undefined {
  if (watch === undefined) return undefined;
  findings.exactlyOne(field, { byOwner: watch.byOwner, bySelector: watch.bySelector });
  if (watch.byOwner !== undefined) return { kind: 'byOwner' };
  return watch.bySelector === undefined ? undefined : { kind: 'bySelector', matches: labelMatcher(watch.bySelector) };
}
