import { objectKey, type Resource } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import { type PairRecord, recordId } from './pair-record.js';
import { placeOf, sourceOf } from './related-pairs.js';

/** Which related objects the primaries of one sync have. What several of them have stays until the last one goes. */
export interface RelatedUses {
  /** What a primary has synced, as far as this process knows. */
  of(primary: string): readonly PairRecord[];
  /** `waiting`: what it refers to besides, and could not be looked at: nobody may take that away meanwhile. Default: as before. */
  set(primary: string, records: readonly PairRecord[], waiting?: readonly PairRecord[]): void;
  /** Nothing else is known of this primary yet: it has what was written down. */
  expect(primary: string, records: readonly PairRecord[]): void;
  /** Replaces what this primary is about to give up. That no longer counts: of two that go at the same time, each would leave it to the other. */
  giveUp(primary: string, records: readonly PairRecord[]): void;
  forget(primary: string): void;
  /** Whether any primary but this one has it: {@link originalId}, {@link copyId}. */
  has(thing: string, besides?: string): boolean;
  /** What primaries, besides this one, have in a place: {@link copyId}. */
  holders(place: string, besides?: string): readonly Holder[];
  /** One at a time, for each place: of several that find nothing there only one makes a copy. */
  exclusively<T>(place: string, work: () => Promise<T>): Promise<T>;
}

/** What has a place. */
export interface Holder {
  /** {@link originalId}. */
  readonly source: string;
  /** Of the copy, where that is known. */
  readonly uid: string | undefined;
}

/** The original of a related object: the same text for the same object, whichever primary of a workspace refers to it. */
export function originalId(cluster: string, record: PairRecord): string {
  return `${record.origin === 'kcp' ? cluster : ''}|${sourceOf(record)}`;
}

/** A published object, where it is the original of a related one: {@link originalId}. */
export function primaryId({ group, resource }: Resource, object: ClusterKey): string {
  return `${object.cluster}|kcp|${resource}.${group}|${objectKey(object)}`;
}

/** Likewise the copy. */
export function copyId(cluster: string, record: PairRecord): string {
  return `${record.origin === 'kcp' ? '' : cluster}|${placeOf(record)}`;
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
  /** Primaries by what they have and do not give up; with what a place is held by. */
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
    holders(place, besides) {
      const found: Holder[] = [];
      for (const [primary, holder] of users.get(place) ?? [])
        if (primary !== besides && holder !== undefined) found.push(holder);
      return found;
    },
    exclusively(place, work) {
      const turn = (turns.get(place) ?? Promise.resolve()).then(work);
      const over = turn.then(
        () => undefined,
        () => undefined,
      );
      turns.set(place, over);
      void over.then(() => {
        if (turns.get(place) === over) turns.delete(place);
      });
      return turn;
    },
    has(thing, besides) {
      const known = users.get(thing);
      return known !== undefined && (besides === undefined || known.size > 1 || !known.has(besides));
    },
  };
}
