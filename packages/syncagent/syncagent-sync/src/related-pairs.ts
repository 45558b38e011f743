import { objectKey, type UnstructuredObject } from '@hawser/client';

import type { SideName } from './problem-of.js';
import { type PairRecord, recordId } from './pair-record.js';
import type { RelatedRule, ResolvedPair } from './rules.js';

/** One related object of a primary, as its rule finds it now. */
export interface RelatedPair {
  readonly rule: RelatedRule;
  readonly resolved: ResolvedPair;
  readonly record: PairRecord;
  /** Position among all objects of its entry, sorted by `namespace/name` of the origin. */
  readonly index: number;
}

/** Present references, earlier references, and conflicts among them. */
export interface RelatedPlan {
  readonly current: readonly RelatedPair[];
  /** Synced before, and no longer referenced. */
  readonly stale: readonly PairRecord[];
  /** Two objects for one destination: the first one has it. */
  readonly collisions: readonly RelatedPair[];
  /** Records of entries that could not be resolved: unchanged. */
  readonly kept: readonly PairRecord[];
}

/** `unresolved`: identifiers of failed entries. Pure. */
export function planRelated(
  found: readonly RelatedPair[],
  unresolved: ReadonlySet<string>,
  before: readonly PairRecord[],
): RelatedPlan {
  const destinations = new Map<string, string>();
  const current: RelatedPair[] = [];
  const collisions: RelatedPair[] = [];
  for (const pair of found) {
    const destination = destinationOf(pair.record);
    const source = sourceOf(pair.record);
    const taken = destinations.get(destination);
    if (taken !== undefined && taken !== source) collisions.push(pair);
    else if (taken === undefined) {
      destinations.set(destination, source);
      current.push(pair);
    }
  }
  const now = new Set(found.map(({ record }) => recordId(record)));
  const gone = uniqueRecords(before).filter((record) => !now.has(recordId(record)));
  return {
    current,
    collisions,
    stale: gone.filter(({ identifier }) => !unresolved.has(identifier)),
    kept: gone.filter(({ identifier }) => unresolved.has(identifier)),
  };
}

export function recordOf(
  { identifier, origin, cleanup, resources: { kcp, service } }: RelatedRule,
  { origin: { namespace, name, object }, destination }: ResolvedPair,
): PairRecord {
  return {
    identifier,
    origin,
    cleanup,
    kcp,
    service,
    source: namespace === undefined ? { name } : { namespace, name },
    kind: object.kind,
    destination,
  };
}

export function uniqueRecords(records: readonly PairRecord[]): readonly PairRecord[] {
  return [...new Map(records.map((record) => [recordId(record), record])).values()];
}

/** Destination of a copy: equal for the same object. */
export function destinationOf({ origin, kcp, service, destination }: PairRecord): string {
  const side: SideName = origin === 'kcp' ? 'service' : 'kcp';
  const { group, resource } = side === 'kcp' ? kcp : service;
  return `${side}|${resource}.${group}|${objectKey(destination)}`;
}

/** Original of a copy: equal for the same object. */
export function sourceOf({ origin, kcp, service, source }: PairRecord): string {
  const { group, resource } = origin === 'kcp' ? kcp : service;
  return `${origin}|${resource}.${group}|${objectKey(source)}`;
}

/**
 * The kcp primary's annotation for one related object (`spec/api-syncagent.md §12.7`), keys in the order of the
 * contract.
 */
export function announcement(
  { apiVersion, kind }: UnstructuredObject,
  { namespace, name }: PairRecord['destination'],
): Readonly<Record<string, string>> {
  return { ...(namespace === undefined || namespace === '' ? {} : { namespace }), name, apiVersion, kind };
}
