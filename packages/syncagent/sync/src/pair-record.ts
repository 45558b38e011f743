import type { ObjectKey, Resource } from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { type JsonValue, canonical, parse } from '@hawser/json';

import { pathOf } from './keys.js';

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
  return `${identifier}|${origin}|${group}/${version}/${resource}|${pathOf(source)}|${pathOf(destination)}`;
}

export function encodeRecords(records: readonly PairRecord[]): string {
  return canonical([...records].sort((a, b) => (recordId(a) < recordId(b) ? -1 : 1)));
}

/** What cannot be read counts as nothing. */
export function decodeRecords(text: string): readonly PairRecord[] {
  let value: JsonValue;
  try {
    value = parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isPairRecord) : [];
}

function isPairRecord(value: unknown): value is PairRecord {
  if (!isRecord(value)) return false;
  const { identifier, origin, cleanup, kcp, service, source, kind, destination, uid } = value;
  return typeof identifier === 'string' && (origin === 'kcp' || origin === 'service') && typeof cleanup === 'boolean' && typeof kind === 'string' && isResource(kcp) && isResource(service) && isKey(source) && isKey(destination) && ['string', 'undefined'].includes(typeof uid);
}

function isResource(value: unknown): boolean {
  return isRecord(value) && [value['group'], value['version'], value['resource']].every((field) => typeof field === 'string');
}

function isKey(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && ['string', 'undefined'].includes(typeof value['namespace']);
}
