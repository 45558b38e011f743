import { canonical, isObject, type JsonObject, type JsonValue, parse } from '@hawser/json';
import { dig, textOf } from './answer.js';
import type { Exchange, Transcript } from './exchange.js';

export interface NormaliseOptions {
  readonly managedFields: boolean;
  /** Names generated from a `generateName`. */
  readonly generated: ReadonlySet<string>;
}

const comparedHeaders = ['content-type', 'warning', 'retry-after', 'allow', 'www-authenticate', 'location'] as const;

/**
 * Normalises values that differ per run. Uids, current times, tokens, addresses and generated names become numbered
 * placeholders. Objects' resourceVersions become ranks, which compares their order. For a list only the presence of a
 * resourceVersion counts.
 */
export function normalise(exchanges: readonly Exchange[], options: NormaliseOptions): Transcript {
  const versions = ranks(exchanges);
  const strings = new Strings(options.generated);
  for (const { body, events } of exchanges) strings.number([body ?? null, ...(events ?? [])]);
  const walk = (value: JsonValue, parent?: JsonObject): JsonValue => {
    if (typeof value === 'string') return strings.replace(value);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => walk(item));
    if (!isObject(value)) return value;
    const plain =
      value['kind'] === 'Table' ? withoutAges(value) : value['kind'] === 'Status' ? withSortedCauses(value) : value;
    const entries = Object.entries(plain).flatMap(([key, item]): readonly (readonly [string, JsonValue])[] => {
      if (item === undefined) return [];
      if (key === 'metadata' && isObject(item)) return [[key, walk(metadata(item, parent ?? value, value), value)]];
      return [[key, walk(item, value)]];
    });
    return fromEntries(entries);
  };
  const metadata = (meta: JsonObject, _parent: JsonObject, owner: JsonObject): JsonObject => {
    const { managedFields, resourceVersion, continue: token, ...rest } = meta;
    const copy: Record<string, JsonValue | undefined> = { ...rest };
    if (managedFields !== undefined && options.managedFields)
      copy['managedFields'] = Array.isArray(managedFields)
        ? sortedManagers(managedFields as readonly JsonValue[])
        : managedFields;
    if (typeof resourceVersion === 'string')
      copy['resourceVersion'] = isCollection(owner)
        ? '<rv of the list>'
        : (versions.get(resourceVersion) ?? resourceVersion);
    if (typeof token === 'string') copy['continue'] = token === '' ? '' : '<continue>';
    return copy;
  };
  return exchanges.map(({ request, status, headers, body, events }) => ({
    request: strings.replace(
      request.replaceAll(/continue=[^&]+/gu, 'continue=<token>').replaceAll(/(resourceVersion=)[1-9]\d*/gu, '$1<rv>'),
    ),
    status,
    ...(headers === undefined ? {} : { headers: selectHeaders(headers, strings) }),
    ...(body === undefined ? {} : { body: walk(body) }),
    ...(events === undefined ? {} : { events: events.map((event) => walk(event)) }),
  }));
}

/** Collections: their resourceVersion is the whole store's, where others write too. */
function isCollection(owner: JsonObject): boolean {
  const kind = owner['kind'];
  return (
    Array.isArray(owner['items']) ||
    kind === 'Table' ||
    (typeof kind === 'string' && kind.endsWith('List')) ||
    isBookmarkObject(owner)
  );
}

function isBookmarkObject(owner: JsonObject): boolean {
  return dig(owner, ['metadata', 'annotations', 'k8s.io/initial-events-end']) !== undefined;
}

/** resourceVersion → `<rv 1>`, in the order of the server. */
function ranks(exchanges: readonly Exchange[]): ReadonlyMap<string, string> {
  const found = new Set<string>();
  const collect = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) collect(item);
    if (!isObject(value)) return;
    const version = dig(value, ['metadata', 'resourceVersion']);
    if (typeof version === 'string' && /^[1-9][0-9]*$/u.test(version) && !isCollection(value)) found.add(version);
    for (const item of Object.values(value)) collect(item);
  };
  for (const { body, events } of exchanges) {
    collect(body);
    for (const event of events ?? []) collect(event);
  }
  const sorted = [...found].sort((one, other) => Number(BigInt(one) - BigInt(other)));
  return new Map(sorted.map((version, index) => [version, `<rv ${index + 1}>`]));
}

/** Their order depends on whether two writes fell into the same second. */
function sortedManagers(entries: readonly JsonValue[]): JsonValue {
  const key = (entry: JsonValue): string =>
    ['operation', 'manager', 'subresource', 'apiVersion'].map((field) => textOf(dig(entry, [field]))).join('/');
  return [...entries].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

function withoutAges(value: JsonObject): JsonObject {
  const rows = value['rows'];
  if (!Array.isArray(rows)) return value;
  const age = (cell: JsonValue): JsonValue =>
    typeof cell === 'string' && /^(?:\d+[smhdy]){1,2}$/u.test(cell) ? '<age>' : cell;
  return {
    ...value,
    rows: (rows as readonly JsonValue[]).map((row) => {
      const cells = dig(row, ['cells']);
      return isObject(row) && Array.isArray(cells) ? { ...row, cells: (cells as readonly JsonValue[]).map(age) } : row;
    }),
  };
}

/** Several errors come in the order of a Go map. */
function withSortedCauses(status: JsonObject): JsonObject {
  const causes = dig(status, ['details', 'causes']);
  const details = status['details'];
  if (!Array.isArray(causes) || causes.length < 2 || !isObject(details)) return status;
  const texts = (causes as readonly JsonValue[]).map((cause) => ({
    cause,
    text: `${textOf(dig(cause, ['field']))}: ${textOf(dig(cause, ['message']))}`,
  }));
  let message = textOf(status['message']);
  for (const { text } of texts) message = message.replace(text, '<cause>');
  const sorted = texts.sort((one, other) => (one.text < other.text ? -1 : 1)).map(({ cause }) => cause);
  return { ...status, message, details: { ...details, causes: sorted } };
}

function selectHeaders(headers: NonNullable<Exchange['headers']>, strings: Strings): Exchange['headers'] & object {
  return Object.fromEntries(
    comparedHeaders.flatMap((name) => {
      const values = headers[name];
      return values === undefined ? [] : [[name, values.map((value) => strings.replace(value))]];
    }),
  );
}

/** Keys are data: `__proto__` is an ordinary key. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

const dayMs = 86_400_000;

class Strings {
  private readonly uids = new Map<string, string>();
  private readonly names: ReadonlyMap<string, string>;

  constructor(generated: ReadonlySet<string>) {
    this.names = new Map([...generated].map((name, index) => [name, `${name.slice(0, -5)}<generated ${index + 1}>`]));
  }

  replace(text: string): string {
    let result = withSortedJson(text)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, (uid) => this.uid(uid))
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC)/gu, (time: string) =>
        isNow(time) ? '<time>' : time,
      )
      .replaceAll(/eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/gu, '<token>')
      .replaceAll(/(127\.0\.0\.1|localhost):\d+/gu, '<address>')
      .replaceAll(
        /(resource version: |ResourceVersion: |current: |ResourceVersion in (?:the )?(?:precondition|record) ?\()\d+( \(\d+\))?/giu,
        '$1<rv>',
      )
      .replaceAll(/(resourceVersion(?:\\*")?: ?\\*")\d+/gu, '$1<rv>')
      .replaceAll(/selfType\d+/gu, 'selfType')
      // Library message about an invalid YAML text.
      .replaceAll(/yaml: .*/gu, 'yaml: <problem>');
    for (const [name, placeholder] of this.names) result = result.replaceAll(name, placeholder);
    return result;
  }

  /** Numbers the uids in `value`, independently of key order. */
  number(value: JsonValue): void {
    this.replace(canonical(value));
  }

  private uid(uid: string): string {
    // Invalid on purpose, from a case.
    if (/^([0-9a-f])\1{7}-/u.test(uid)) return uid;
    const known = this.uids.get(uid) ?? `<uid ${this.uids.size + 1}>`;
    this.uids.set(uid, known);
    return known;
  }
}

/** Messages quote objects; the order of their keys does not matter. */
function withSortedJson(text: string): string {
  return text.replaceAll(/"\{(?:[^"\\]|\\.)*\}"/gu, (quoted) => {
    try {
      return canonical(parse(JSON.parse(quoted) as string));
    } catch {
      return quoted;
    }
  });
}

function isNow(text: string): boolean {
  const time = Date.parse(text.replace(' +0000 UTC', 'Z').replace(/ (?=\d\d:)/u, 'T'));
  return Math.abs(time - Date.now()) < dayMs;
}
