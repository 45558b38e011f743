import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { compareStrings } from './compare-values.js';
import { entriesOf, isList } from './entries.js';
import { FieldSet } from './field-set.js';
import type { Managers, VersionedSet } from './managers.js';
import { SetError } from './set-error.js';

/** One entry of `metadata.managedFields` (meta/v1 `ManagedFieldsEntry`). A type, so that it is a JSON object. */
export type ManagedFieldsEntry = {
  readonly manager?: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339, whole seconds. */
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
};

/** Owners of fields, with times. */
export interface Managed {
  readonly managers: Managers;
  readonly times: ReadonlyMap<string, string>;
}

export const noManagers: Managed = { managers: new Map(), times: new Map() };

/** Identity of a manager: an applier is the same in all versions, an updater differs per version. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

/** The server's text form; its order decides between managers of the same second. */
export function managerKey(identity: ManagerIdentity): string {
  const { manager, operation, apiVersion, subresource } = identity;
  const name = `${operation}\n${apiVersion}\n${subresource}\n${manager}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = keyText(identity);
  remember(keys, name, key);
  return key;
}

function keyText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' || apiVersion === '' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

export function identityOfKey(key: string): ManagerIdentity {
  const known = identities.get(key);
  if (known !== undefined) return known;
  const {
    manager = '',
    operation = 'Update',
    apiVersion = '',
    subresource = '',
  } = JSON.parse(key) as Partial<ManagerIdentity>;
  const identity = { manager, operation, apiVersion, subresource };
  remember(identities, key, identity);
  return identity;
}

/** The same few managers write repeatedly. */
const MOST_REMEMBERED = 1_000;
const keys = new Map<string, string>();
const identities = new Map<string, ManagerIdentity>();

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(key, value);
}

/**
 * Reads `metadata.managedFields`.
 * @throws SetError for an entry that the server would refuse.
 */
export function decodeManagedFields(entries: JsonValue | undefined): Managed {
  if (entries === undefined || entries === null) return noManagers;
  if (!isList(entries)) throw new SetError('managedFields must be a list');
  let managed = decoded.get(entries);
  if (managed === undefined) {
    managed = decodeEntries(entries);
    decoded.set(entries, managed);
  }
  return managed;
}

/** Every write reads those of a stored object. Lists given here never change. */
const decoded = new WeakMap<readonly JsonValue[], Managed>();
/** Last encoding of a manager's fields. */
const written = new WeakMap<
  VersionedSet,
  { readonly key: string; readonly time: string | undefined; readonly entry: ManagedFieldsEntry }
>();

function decodeEntries(entries: readonly JsonValue[]): Managed {
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) throw new SetError(`no entry: ${index}`);
    const { operation, apiVersion, fieldsType, fieldsV1, time } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new SetError('operation must be `Apply` or `Update`');
    if (typeof apiVersion !== 'string' || apiVersion === '') throw new SetError('apiVersion must not be empty');
    if (fieldsType === undefined || fieldsType === '')
      throw new SetError(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== 'FieldsV1')
      throw new SetError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
    const key = managerKey({
      manager: text(entry['manager']),
      operation,
      apiVersion,
      subresource: text(entry['subresource']),
    });
    managers.set(key, {
      set: isObject(fieldsV1) ? FieldSet.parse(fieldsV1) : FieldSet.empty,
      apiVersion,
      applied: operation === 'Apply',
    });
    if (typeof time === 'string') times.set(key, time);
  }
  return { managers, times };
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/**
 * Writes `metadata.managedFields`: appliers first, then by time, manager, version and subresource. `undefined` for
 * none.
 */
export function encodeManagedFields({ managers, times }: Managed): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers].map(([key, versioned]) => encodeEntry(key, versioned, times.get(key))).sort(compareEntries);
}

function encodeEntry(key: string, versioned: VersionedSet, time: string | undefined): ManagedFieldsEntry {
  const last = written.get(versioned);
  if (last?.key === key && last.time === time) return last.entry;
  const entry = entryOf(key, versioned, time);
  written.set(versioned, { key, time, entry });
  return entry;
}

function entryOf(
  key: string,
  { set, apiVersion, applied }: VersionedSet,
  time: string | undefined,
): ManagedFieldsEntry {
  const { manager, operation, subresource } = identityOfKey(key);
  return {
    ...(manager === '' ? {} : { manager }),
    operation: applied ? 'Apply' : operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set.toFieldsV1(),
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareStrings(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareStrings(a.manager ?? '', b.manager ?? '') ||
    compareStrings(a.apiVersion, b.apiVersion) ||
    compareStrings(a.subresource ?? '', b.subresource ?? '')
  );
}

/** Unix time; 0 for no time. */
export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** Whether the client asks to reset all managers: an empty list, or one with a single empty entry. */
export function isReset(entries: JsonValue | undefined): boolean {
  if (!isList(entries)) return false;
  return (
    entries.length === 0 ||
    (entries.length === 1 &&
      isObject(entries[0]) &&
      entriesOf(entries[0]).every(([, value]) => value === null || value === ''))
  );
}
