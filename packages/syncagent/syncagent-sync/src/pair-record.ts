import { type ObjectKey, objectKey, type Resource } from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { type JsonValue, canonical, parse } from '@hawser/json';

/** One related object that was synced: enough to clean up after it when its primary does not refer to it any more. */
export interface PairRecord {
  readonly identifier: string;
  readonly origin: 'kcp' | 'service';
  readonly cleanup: boolean;
  readonly kcp: Resource;
  readonly service: Resource;
  readonly source: ObjectKey;
  /** Of the source. */
  readonly kind: string;
  readonly destination: ObjectKey;
  /** Of the object that was made, or taken for the copy. What a Go agent made, and what an older Hawser wrote down, has none. */
  readonly uid?: string | undefined;
}

/** The same text for the same related object of an entry. */
export function recordId({ identifier, origin, source, kcp, service, destination }: PairRecord): string {
  const { group, version, resource } = origin === 'kcp' ? kcp : service;
  return `${identifier}|${origin}|${group}/${version}/${resource}|${objectKey(source)}|${objectKey(destination)}`;
}

/** What one entry has synced. Thousands of objects may be written down in one Secret, so what they have in common stands there once. */
interface Entry extends Pick<PairRecord, 'identifier' | 'origin' | 'cleanup' | 'kcp' | 'service' | 'kind'> {
  /** Namespace and name of the source, of the copy, and its uid; empty where there is none. */
  readonly pairs: readonly (readonly [string, string, string, string, string])[];
}

/** Of a state Secret, for what was synced: some thousands of related objects. What cannot be written down must not be made: nothing would tell that it is ours. */
export const RECORDS_BYTES = 500_000;

/** Bytes that one more record may take, at most. */
export function sizeOfRecord({ identifier, source, destination }: PairRecord): number {
  return (
    identifier.length +
    [source, destination].reduce((sum, { namespace = '', name }) => sum + namespace.length + name.length, 0) +
    RECORD_BYTES
  );
}

/** Quotes and commas, a uid, and room for what a text needs more than its length. */
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

/** What cannot be read counts as nothing. Also reads the list of records that was written before. */
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
