import { createMergePatch, type JsonValue } from '@hawser/json';

/**
 * The JSON merge patch (RFC 7386) that leads from one status to another; undefined if they mean the same. As in Go's semantic comparison, a field that
 * is absent, null, an empty list or an object of nothing else is one and the same, so none of these is exchanged for another. Lists are replaced whole.
 */
export function statusPatch(before: object, after: object): JsonValue | undefined {
  const from = new Map<string, unknown>(Object.entries(before));
  const to = new Map<string, unknown>(Object.entries(after));
  const changed = [...new Set([...from.keys(), ...to.keys()])].filter(
    (name) => !sameMeaning(from.get(name), to.get(name)),
  );
  const pick = (fields: ReadonlyMap<string, unknown>): object =>
    Object.fromEntries(changed.map((name) => [name, fields.get(name)]));
  return createMergePatch(pick(from), pick(to));
}

function sameMeaning(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameMeaning(item, b[index]));
  if (isRecord(a)) {
    if (!isRecord(b)) return false;
    return (
      Object.keys(a).every((name) => sameMeaning(a[name], own(b, name))) &&
      Object.keys(b).every((name) => Object.hasOwn(a, name) || isEmpty(b[name]))
    );
  }
  return false;
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isEmpty(value: unknown): boolean {
  if (isRecord(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
