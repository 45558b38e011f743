import type { UnstructuredObject } from '@hawser/client';
import { canonical } from '@hawser/json';
import { type StateSubject, decodeSnapshot, encodeSnapshot, sha1Short, stateKey } from '@hawser/syncagent-api';

import type { LastState } from './observed.js';
import { type PairRecord, decodeRecords, encodeRecords } from './pair-record.js';

/** Whose snapshot: a source object, by where it lives and what it is. */
export interface SnapshotOwner {
  /** Empty for an object that lives on the service cluster. */
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Of the related entry; undefined for the published object itself. */
  readonly identifier: string | undefined;
}

/**
 * What one state Secret says, and what it is to say. The keys of the contract do not tell kinds apart (`spec/api-syncagent.md §11.2`): they are always
 * written, and where two objects of one Secret collide, each has a second key of its own as well, which then counts.
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
  /** Related objects that were synced, as far as Hawser has written them down. */
  readonly records: readonly PairRecord[];
  record(records: readonly PairRecord[]): void;
  /** All data as they are to be written; undefined: nothing has changed. */
  changed(): Readonly<Record<string, string>> | undefined;
  /** What does not fit into a Secret, and is therefore not remembered. */
  readonly tooLarge: readonly SnapshotOwner[];
  /** What was changed has been written. */
  written(): void;
  /** The Secret has been deleted. */
  discard(): void;
}

const RECORDS = 'hawser.related';
/** Of all values together; the API server's own limit is 1 MiB. */
const LIMIT_BYTES = 1_000_000;

/** `inherited`: the data are from elsewhere, and not written here yet. `doubted`: see {@link LastState}. */
export function createStateDraft(
  subject: StateSubject,
  secretName: string,
  data: Readonly<Record<string, string>> | undefined,
  inherited = false,
  doubted = false,
): StateDraft {
  const values = new Map(Object.entries(data ?? {}));
  const owners = new Map<string, Map<string, SnapshotOwner>>();
  /** Keys of each object that has a snapshot, by its own key. */
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
  /** What was synced and the object itself come first: without the former nothing can be cleaned up, without the latter a removed field stays on the copy. */
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
        // What the other one has under the common key is saved before it is overwritten.
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

/** What of a Secret is written, and whose snapshots are not. */
interface Fitted {
  readonly kept: ReadonlyMap<string, string>;
  readonly tooLarge: readonly SnapshotOwner[];
}

function ownKey(shared: string, { apiVersion, kind, identifier }: SnapshotOwner): string {
  return `${shared}.${sha1Short(canonical({ apiVersion, kind, identifier: identifier ?? '' }))}`;
}

/** Whether what a Secret remembers under the common key is an object of this group and kind, in whatever version. */
export function isAbout(data: Readonly<Record<string, string>> | undefined, owner: SnapshotOwner): boolean {
  const snapshot = decodeSnapshot(decode(data?.[stateKey(owner)] ?? ''));
  return snapshot !== undefined && isOf(snapshot, owner);
}

/** Versions come and go; group and kind tell. */
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
