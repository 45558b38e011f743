import type { UnstructuredObject } from '@hawser/client';
import { canonical } from '@hawser/json';
import { type StateSubject, decodeSnapshot, encodeSnapshot, sha1Short, stateKey } from '@hawser/syncagent-api';

import type { LastState } from './observed.js';
import { type PairRecord, decodeRecords, encodeRecords } from './pair-record.js';

/** Owner of a snapshot: a source object, by its place and kind. */
export interface SnapshotOwner {
  /** Empty for an object on the service cluster. */
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Of the related entry; undefined for the published object itself. */
  readonly identifier: string | undefined;
}

/**
 * The present and the new content of one state Secret. The keys of the contract do not separate kinds
 * (`spec/api-syncagent.md §11.2`). They are always written; if two objects of one Secret collide, each also has a
 * second key of its own, which then wins.
 */
export interface StateDraft {
  readonly subject: StateSubject;
  readonly secretName: string;
  /** Whether there is a Secret. */
  readonly exists: boolean;
  last(owner: SnapshotOwner): LastState;
  store(owner: SnapshotOwner, snapshot: UnstructuredObject): void;
  forget(owner: SnapshotOwner): void;
  /** Whether there are snapshots of anything but this. */
  remembersMoreThan(owner: SnapshotOwner): boolean;
  /** Synced related objects, as far as Hawser has recorded them. */
  readonly records: readonly PairRecord[];
  record(records: readonly PairRecord[]): void;
  /** All data to write; undefined: no change. */
  changed(): Readonly<Record<string, string>> | undefined;
  /** Snapshots too large for a Secret, which are not remembered. */
  readonly tooLarge: readonly SnapshotOwner[];
  /** The changes have been written. */
  written(): void;
  /** The Secret has been deleted. */
  discard(): void;
}

const RECORDS = 'hawser.related';
/** Limit for all values together; the API server's own limit is 1 MiB. */
const LIMIT_BYTES = 1_000_000;

/** What may have another state than the pushed content: see {@link LastState}. */
export type Doubt = 'nothing' | 'copiesInKcp' | 'everything';

/** `inherited`: the data come from another Secret, and are not written here yet. */
export function createStateDraft(
  subject: StateSubject,
  secretName: string,
  data: Readonly<Record<string, string>> | undefined,
  inherited = false,
  doubt: Doubt = 'nothing',
): StateDraft {
  const values = new Map(Object.entries(data ?? {}));
  const owners = new Map<string, Map<string, SnapshotOwner>>();
  /** Object → its keys, for objects with a snapshot. */
  const stored = new Map<string, { readonly owner: SnapshotOwner; readonly keys: Set<string> }>();
  let exists = data !== undefined;
  let touched = inherited;
  let before: ReadonlyMap<string, string> = new Map(values);
  let fitted: Fitted | undefined;
  let edited = false;
  let records = decodeRecords(decode(values.get(RECORDS) ?? ''));

  const meet = (
    owner: SnapshotOwner,
  ): { readonly shared: string; readonly own: string; readonly collides: boolean } => {
    const shared = stateKey(owner);
    const own = ownKey(shared, owner);
    const known = owners.get(shared) ?? new Map<string, SnapshotOwner>();
    owners.set(shared, known.set(own, owner));
    return { shared, own, collides: known.size > 1 || [...values.keys()].some((key) => key.startsWith(`${shared}.`)) };
  };
  const set = (key: string, text: string): void => {
    const value = encode(text);
    if (values.get(key) === value) return;
    values.set(key, value);
    [fitted, edited] = [undefined, true];
  };
  const drop = (key: string): void => {
    if (values.delete(key)) [fitted, edited] = [undefined, true];
  };
  /**
   * The synced objects and the object itself come first: without the former no cleanup is possible, without the latter
   * a removed field stays on the copy.
   */
  const fit = (): Fitted => {
    if (fitted !== undefined) return fitted;
    const main = meet({ ...subject, identifier: undefined });
    const rank = (key: string): number => (key === RECORDS ? 0 : key === main.shared || key === main.own ? 1 : 2);
    const kept = new Map<string, string>();
    let size = 0;
    for (const [key, value] of [...values].sort(([a], [b]) => rank(a) - rank(b))) {
      const bytes = key.length + bytesOf(value);
      if (size + bytes > LIMIT_BYTES) continue;
      size += bytes;
      kept.set(key, value);
    }
    fitted = {
      kept,
      tooLarge:
        kept.size === values.size
          ? []
          : [...stored.values()]
              .filter(({ keys }) => [...keys].some((key) => values.has(key) && !kept.has(key)))
              .map(({ owner }) => owner),
    };
    return fitted;
  };
  const read = (owner: SnapshotOwner): LastState => {
    const { shared, own } = meet(owner);
    const value = values.get(own) ?? values.get(shared);
    if (value === undefined) return { kind: 'none' };
    const snapshot = decodeSnapshot(decode(value));
    if (snapshot === undefined) return { kind: 'broken' };
    // Copies in kcp have their originals on the service cluster.
    const doubted = doubt === 'everything' || (doubt === 'copiesInKcp' && owner.cluster === '');
    return values.has(own) || isOf(snapshot, owner)
      ? { kind: 'known', snapshot, ...(doubted ? { doubted } : {}) }
      : { kind: 'none' };
  };

  return {
    subject,
    secretName,
    get exists() {
      return exists;
    },
    last: read,
    store(owner, snapshot) {
      const { shared, own, collides } = meet(owner);
      if (collides) {
        // Save the other object's snapshot under the common key before overwriting it.
        for (const [key, other] of owners.get(shared) ?? []) {
          const last = key === own || values.has(key) ? undefined : read(other);
          if (last?.kind === 'known') set(key, encodeSnapshot(last.snapshot));
        }
        set(own, encodeSnapshot(snapshot));
      }
      set(shared, encodeSnapshot(snapshot));
      stored.set(own, { owner, keys: new Set([shared, own]) });
    },
    forget(owner) {
      const { shared, own } = meet(owner);
      const value = values.get(shared);
      const snapshot = value === undefined ? undefined : decodeSnapshot(decode(value));
      if (snapshot === undefined || isOf(snapshot, owner)) drop(shared);
      drop(own);
      stored.delete(own);
      owners.get(shared)?.delete(own);
    },
    remembersMoreThan(owner) {
      const { shared } = meet(owner);
      return [...values.keys()].some((key) => key !== RECORDS && key !== shared && !key.startsWith(`${shared}.`));
    },
    get records() {
      return records;
    },
    record(next) {
      records = next;
      if (next.length === 0) drop(RECORDS);
      else set(RECORDS, encodeRecords(next));
    },
    changed() {
      if (!edited && !touched) return undefined;
      const { kept } = fit();
      return touched || kept.size !== before.size || [...kept].some(([key, value]) => before.get(key) !== value)
        ? Object.fromEntries(kept)
        : undefined;
    },
    get tooLarge() {
      return fit().tooLarge;
    },
    written() {
      before = fit().kept;
      touched = false;
      edited = false;
      exists = true;
    },
    discard() {
      values.clear();
      stored.clear();
      before = new Map();
      fitted = undefined;
      edited = false;
      records = [];
      touched = false;
      exists = false;
    },
  };
}

/** The part of a Secret that is written, and the omitted snapshots. */
interface Fitted {
  readonly kept: ReadonlyMap<string, string>;
  readonly tooLarge: readonly SnapshotOwner[];
}

function ownKey(shared: string, { apiVersion, kind, identifier }: SnapshotOwner): string {
  return `${shared}.${sha1Short(canonical({ apiVersion, kind, identifier: identifier ?? '' }))}`;
}

/** Whether a Secret's snapshot under the common key is of an object of this group and kind, in any version. */
export function isAbout(data: Readonly<Record<string, string>> | undefined, owner: SnapshotOwner): boolean {
  const snapshot = decodeSnapshot(decode(data?.[stateKey(owner)] ?? ''));
  return snapshot !== undefined && isOf(snapshot, owner);
}

/** Versions come and go; group and kind decide. */
function isOf(snapshot: UnstructuredObject, { apiVersion, kind }: SnapshotOwner): boolean {
  return snapshot.kind === kind && groupOf(snapshot.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function bytesOf(value: string): number {
  return Math.ceil((value.length * 3) / 4);
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
