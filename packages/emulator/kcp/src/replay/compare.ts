import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import type { Identities } from './identities.js';

/** A difference between a server's answer and kcp's. */
export interface Difference {
  /** `body.metadata.labels`; list elements by name. */
  readonly path: string;
  readonly recorded: string;
  readonly actual: string;
}

/** Values that differ every time; only their presence is compared. */
const OWN_VALUES = new Set([
  'creationTimestamp',
  'lastTransitionTime',
  'deletionTimestamp',
  'storageVersionHash',
  'serverAddress',
  'goVersion',
  'buildDate',
  'gitVersion',
  'gitCommit',
  'platform',
  'compiler',
  'continue',
  'time',
  'URL',
  'url',
]);
/** Ids, mapped to those of this run. */
const IDS = new Set([
  'uid',
  'UID',
  'identityHash',
  'kcp.io/cluster',
  'internal.tenancy.kcp.io/cluster',
  'internal.apis.kcp.io/export',
  'apiExportClusterName',
  'cluster',
]);

/** Differences between an answer and the recorded one. Learns ids on the way. */
export function differences(recorded: JsonValue, actual: JsonValue, ids: Identities, path = ''): readonly Difference[] {
  if (isObject(recorded) && isObject(actual)) return objectDifferences(recorded, actual, ids, path);
  if (Array.isArray(recorded) && Array.isArray(actual)) return listDifferences(recorded, actual, ids, path);
  if (typeof recorded === 'string' && typeof actual === 'string') return textDifferences(recorded, actual, ids, path);
  return recorded === actual ? [] : [{ path, recorded: brief(recorded), actual: brief(actual) }];
}

function objectDifferences(
  recorded: JsonObject,
  actual: JsonObject,
  ids: Identities,
  path: string,
): readonly Difference[] {
  // Ids first: labels contain them.
  for (const [key, value] of Object.entries(recorded)) if (IDS.has(key)) learn(value, actual[key], ids);
  const annotations = recorded['annotations'];
  if (isObject(annotations))
    for (const [key, value] of Object.entries(annotations))
      if (IDS.has(key)) learn(value, isObject(actual['annotations']) ? actual['annotations'][key] : undefined, ids);
  const labels = recorded['labels'];
  if (isObject(labels))
    for (const [key, value] of Object.entries(labels))
      if (IDS.has(key)) learn(value, isObject(actual['labels']) ? actual['labels'][key] : undefined, ids);
  const found: Difference[] = [];
  const seen = new Set<string>();
  for (const [key, value] of Object.entries(recorded)) {
    const translated = ids.translate(key);
    seen.add(translated);
    const other = actual[translated];
    const below = path === '' ? key : `${path}.${key}`;
    if (other === undefined) found.push({ path: below, recorded: brief(value), actual: 'missing' });
    else if (key === 'resourceVersion' && typeof value === 'string' && typeof other === 'string')
      ids.learnRevision(value, other);
    else if (!OWN_VALUES.has(key)) found.push(...differences(value ?? null, other, ids, below));
    else if (typeof value !== typeof other || (value === '') !== (other === ''))
      found.push({ path: below, recorded: brief(value), actual: brief(other) });
  }
  for (const [key, value] of Object.entries(actual))
    if (!seen.has(key) && key !== 'managedFields')
      found.push({ path: path === '' ? key : `${path}.${key}`, recorded: 'missing', actual: brief(value) });
  return found;
}

function learn(recorded: JsonValue | undefined, actual: JsonValue | undefined, ids: Identities): void {
  if (typeof recorded === 'string' && typeof actual === 'string') ids.learn(recorded, actual);
}

/** Compares named elements by name, in any order. */
function listDifferences(
  recorded: readonly JsonValue[],
  actual: readonly JsonValue[],
  ids: Identities,
  path: string,
): readonly Difference[] {
  const keyed =
    recorded.length > 0 &&
    !recorded.some(isEvent) &&
    recorded.every((each) => keyOf(each, ids) !== undefined) &&
    actual.every((each) => keyOf(each) !== undefined);
  if (!keyed) {
    if (recorded.length !== actual.length)
      return [
        { path: `${path}.length`, recorded: String(recorded.length), actual: `${actual.length}: ${brief(actual)}` },
      ];
    return recorded.flatMap((each, index) => differences(each, actual[index] ?? null, ids, `${path}[${index}]`));
  }
  const byKey = new Map(actual.map((each) => [keyOf(each), each]));
  const found = recorded.flatMap((each) => {
    const key = keyOf(each, ids) ?? '';
    const other = byKey.get(key);
    byKey.delete(key);
    return other === undefined
      ? [{ path: `${path}[${key}]`, recorded: brief(each), actual: 'missing' }]
      : differences(each, other, ids, `${path}[${nameOf(each)}]`);
  });
  return [
    ...found,
    ...[...byKey].map(([key, each]) => ({ path: `${path}[${key ?? ''}]`, recorded: 'missing', actual: brief(each) })),
  ];
}

const isEvent = (value: JsonValue): boolean => isObject(value) && isObject(value['object']);

const nameOf = (value: JsonValue): string => keyOf(value) ?? '';

function keyOf(value: JsonValue, ids?: Identities): string | undefined {
  if (!isObject(value)) return undefined;
  const metadata = value['metadata'];
  if (isObject(metadata)) {
    const annotations = metadata['annotations'];
    const cluster = isObject(annotations) ? annotations['kcp.io/cluster'] : undefined;
    const at = typeof cluster === 'string' ? `@${ids === undefined ? cluster : ids.translate(cluster)}` : '';
    return `${text(metadata['namespace'])}/${text(metadata['name'])}${at}`;
  }
  for (const key of ['name', 'type', 'groupVersion', 'schema'])
    if (typeof value[key] === 'string') return `${text(value['group'])} ${text(value[key])}`.trim();
  if (typeof value['resource'] === 'string') return `${text(value['group'])} ${value['resource']}`.trim();
  return undefined;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function textDifferences(recorded: string, actual: string, ids: Identities, path: string): readonly Difference[] {
  const expected = ids.translate(recorded);
  return expected === actual || withoutIds(expected) === withoutIds(actual)
    ? []
    : [{ path, recorded: brief(expected), actual: brief(actual) }];
}

/** Removes revisions in messages, queries of paths, and ids within a text. */
const withoutIds = (value: string): string =>
  value
    .replaceAll(/too old resource version: \d+ \(\d+\)/gu, 'too old resource version')
    .replaceAll(/\?hash=[0-9A-F]+/gu, '')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, 'UUID');

function brief(value: JsonValue | undefined): string {
  const written = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) as
    string | undefined;
  return (written ?? 'missing').slice(0, 400);
}
