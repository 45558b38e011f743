import { objectKey, type Resource } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import { type PairRecord, recordId } from './pair-record.js';
import { destinationOf, sourceOf } from './related-pairs.js';

/** Related objects by the primaries of one sync. An object used by several stays until the last one goes. */
export interface RelatedUses {
  /** The synced objects of a primary, as far as this process knows. */
  of(primary: string): readonly PairRecord[];
  /**
   * `waiting`: further references that could not be looked at, and that no primary may remove meanwhile. Default: as
   * before.
   */
  set(primary: string, records: readonly PairRecord[], waiting?: readonly PairRecord[]): void;
  /** Uses the records of this primary as long as nothing else is known of it. */
  expect(primary: string, records: readonly PairRecord[]): void;
  /**
   * Replaces the records that this primary is about to give up. They no longer count: otherwise two primaries that go
   * at the same time would each leave an object to the other.
   */
  giveUp(primary: string, records: readonly PairRecord[]): void;
  forget(primary: string): void;
  /** Whether any primary but this one has it: {@link originalId}, {@link copyId}. */
  has(thing: string, besides?: string): boolean;
  /** The holders of a destination among primaries besides this one: {@link copyId}. */
  holders(copy: string, besides?: string): readonly Holder[];
  /** Serialises work on a destination: of several that find it empty only one creates a copy. */
  exclusively<T>(copy: string, work: () => Promise<T>): Promise<T>;
}

/** A holder of a destination. */
export interface Holder {
  /** {@link originalId}. */
  readonly source: string;
  /** uid of the copy, if known. */
  readonly uid: string | undefined;
}

/** Id of a related object's original: equal for the same object, whichever primary of a workspace references it. */
export function originalId(cluster: string, record: PairRecord): string {
  return `${record.origin === 'kcp' ? cluster : ''}|${sourceOf(record)}`;
}

/** Id of a published object that is the original of a related one: {@link originalId}. */
export function primaryId({ group, resource }: Resource, object: ClusterKey): string {
  return `${object.cluster}|kcp|${resource}.${group}|${objectKey(object)}`;
}

/** Id of the copy, likewise. */
export function copyId(cluster: string, record: PairRecord): string {
  return `${record.origin === 'kcp' ? '' : cluster}|${destinationOf(record)}`;
}

/** The workspace of a primary (`cluster|namespace/name`). */
export function clusterOf(primary: string): string {
  return primary.slice(0, primary.indexOf('|'));
}

export function createRelatedUses(): RelatedUses {
  const all = new Map<string, readonly PairRecord[]>();
  const waitingOf = new Map<string, readonly PairRecord[]>();
  const givenUp = new Map<string, ReadonlySet<string>>();
  const things = new Map<string, readonly string[]>();
  /** Object → primaries that have it and do not give it up, with the holders of destinations. */
  const users = new Map<string, Map<string, Holder | undefined>>();
  const turns = new Map<string, Promise<void>>();

  const index = (primary: string): void => {
    for (const thing of things.get(primary) ?? []) {
      const known = users.get(thing);
      known?.delete(primary);
      if (known?.size === 0) users.delete(thing);
    }
    const cluster = clusterOf(primary);
    const had = [...(waitingOf.get(primary) ?? []), ...(all.get(primary) ?? [])];
    const staying = had.filter((record) => givenUp.get(primary)?.has(recordId(record)) !== true);
    const now = new Map<string, Holder | undefined>();
    for (const record of staying) {
      const source = originalId(cluster, record);
      now.set(source, undefined);
      now.set(copyId(cluster, record), { source, uid: record.uid });
    }
    if (now.size === 0) things.delete(primary);
    else things.set(primary, [...now.keys()]);
    for (const [thing, holder] of now) {
      const known = users.get(thing);
      if (known === undefined) users.set(thing, new Map([[primary, holder]]));
      else known.set(primary, holder);
    }
  };
  const keep = (map: Map<string, readonly PairRecord[]>, primary: string, records: readonly PairRecord[]): void => {
    if (records.length === 0) map.delete(primary);
    else map.set(primary, records);
  };
  const set: RelatedUses['set'] = (primary, records, waiting) => {
    keep(all, primary, records);
    if (waiting !== undefined) keep(waitingOf, primary, waiting);
    index(primary);
  };

  return {
    of: (primary) => all.get(primary) ?? [],
    set,
    expect(primary, records) {
      if (!all.has(primary) && records.length > 0) set(primary, records);
    },
    giveUp(primary, records) {
      if (records.length === 0 && !givenUp.has(primary)) return;
      if (records.length === 0) givenUp.delete(primary);
      else givenUp.set(primary, new Set(records.map(recordId)));
      index(primary);
    },
    forget(primary) {
      all.delete(primary);
      waitingOf.delete(primary);
      givenUp.delete(primary);
      index(primary);
    },
    holders(copy, besides) {
      const found: Holder[] = [];
      for (const [primary, holder] of users.get(copy) ?? [])
        if (primary !== besides && holder !== undefined) found.push(holder);
      return found;
    },
    exclusively(copy, work) {
      const turn = (turns.get(copy) ?? Promise.resolve()).then(work);
      const over = turn.then(
        () => undefined,
        () => undefined,
      );
      turns.set(copy, over);
      void over.then(() => {
        if (turns.get(copy) === over) turns.delete(copy);
      });
      return turn;
    },
    has(thing, besides) {
      const known = users.get(thing);
      return known !== undefined && (besides === undefined || known.size > 1 || !known.has(besides));
    },
  };
}
