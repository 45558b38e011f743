import { type ObjectKey, objectKey, type Resource } from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { type JsonValue, canonical, parse } from '@hawser/json';

/** Record of one synced related object: enough to clean up when its primary no longer references it. */
export interface PairRecord {
  readonly identifier: string;
  readonly origin: 'kcp' | 'service';
  readonly cleanup: boolean;
  readonly kcp: Resource;
  readonly service: Resource;
  readonly source: ObjectKey;
  /** Kind of the source. */
  readonly kind: string;
  readonly destination: ObjectKey;
  /** uid of the created or adopted copy. Absent in records of a Go agent or an older Hawser. */
  readonly uid?: string | undefined;
}

/** Equal for the same related object of an entry. */
export function recordId({ identifier, origin, source, kcp, service, destination }: PairRecord): string {
  const { group, version, resource } = origin === 'kcp' ? kcp : service;
  return `${identifier}|${origin}|${group}/${version}/${resource}|${objectKey(source)}|${objectKey(destination)}`;
}

/**
 * The synced objects of one entry. One Secret may record thousands of objects, so their common parts are stored once.
 */
interface Entry extends Pick<PairRecord, 'identifier' | 'origin' | 'cleanup' | 'kcp' | 'service' | 'kind'> {
  /** Namespace and name of the source, of the copy, and its uid; empty: none. */
  readonly pairs: readonly (readonly [string, string, string, string, string])[];
}

/**
 * Room in a state Secret for records: some thousands of related objects. An object without room for a record must not
 * be created: nothing would show that it is ours.
 */
export const RECORDS_BYTES = 500_000;

/** Largest size of one more record, in bytes. */
export function sizeOfRecord({ identifier, source, destination }: PairRecord): number {
  return (
    identifier.length +
    [source, destination].reduce((sum, { namespace = '', name }) => sum + namespace.length + name.length, 0) +
    RECORD_BYTES
  );
}

/** Quotes, commas, a uid, and room for escapes. */
const RECORD_BYTES = 80;

export function encodeRecords(records: readonly PairRecord[]): string {
  const entries = new Map<string, Omit<Entry, 'pairs'> & { readonly pairs: Entry['pairs'][number][] }>();
  for (const { identifier, origin, cleanup, kcp, service, kind, source, destination, uid = '' } of [...records].sort(
    (a, b) => (recordId(a) < recordId(b) ? -1 : 1),
  )) {
    const common = { identifier, origin, cleanup, kcp, service, kind };
    const id = canonical(common);
    const entry = entries.get(id) ?? { ...common, pairs: [] };
    entries.set(id, entry);
    entry.pairs.push([source.namespace ?? '', source.name, destination.namespace ?? '', destination.name, uid]);
  }
  return canonical({ entries: [...entries.values()] });
}

/** Reads records; unreadable ones count as none. Also reads the older list format. */
export function decodeRecords(text: string): readonly PairRecord[] {
  let value: JsonValue;
  try {
    value = parse(text);
  } catch {
    return [];
  }
  if (Array.isArray(value)) return value.filter(isPairRecord);
  const entries: unknown = isRecord(value) ? value['entries'] : undefined;
  return Array.isArray(entries) ? entries.flatMap(recordsOf).filter(isPairRecord) : [];
}

function recordsOf(entry: unknown): readonly unknown[] {
  if (!isRecord(entry)) return [];
  const { pairs, ...common } = entry;
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) return [];
    const [fromNamespace, from, toNamespace, to, uid] = pair as readonly unknown[];
    return [
      {
        ...common,
        source: keyFrom(fromNamespace, from),
        destination: keyFrom(toNamespace, to),
        ...(uid === '' ? {} : { uid }),
      },
    ];
  });
}

function keyFrom(namespace: unknown, name: unknown): object {
  return namespace === '' ? { name } : { namespace, name };
}

function isPairRecord(value: unknown): value is PairRecord {
  if (!isRecord(value)) return false;
  const { identifier, origin, cleanup, kcp, service, source, kind, destination, uid } = value;
  return (
    typeof identifier === 'string' &&
    (origin === 'kcp' || origin === 'service') &&
    typeof cleanup === 'boolean' &&
    typeof kind === 'string' &&
    isResource(kcp) &&
    isResource(service) &&
    isKey(source) &&
    isKey(destination) &&
    ['string', 'undefined'].includes(typeof uid)
  );
}

function isResource(value: unknown): boolean {
  return (
    isRecord(value) && [value['group'], value['version'], value['resource']].every((field) => typeof field === 'string')
  );
}

function isKey(value: unknown): boolean {
  return (
    isRecord(value) && typeof value['name'] === 'string' && ['string', 'undefined'].includes(typeof value['namespace'])
  );
}
