import { createMergePatch, type JsonValue } from '@hawser/json';

/**
 * Computes the JSON merge patch (RFC 7386) from one status to another; undefined if they mean the same. As in Go's
 * semantic comparison, an absent field, null, an empty list and an object of only such fields are equal. The patch
 * never replaces one of them by another. It replaces lists whole. Unchanged parts may be nested to any depth.
 * @throws {TooDeepError} if a changed part is nested deeper than `MAX_DEPTH` of `@hawser/json`
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

/** Compares without recursion: an API server passes on objects that are nested deeper than the stack. */
function sameMeaning(one: unknown, other: unknown): boolean {
  const pairs: (readonly [unknown, unknown])[] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (isRecord(a) && isRecord(b)) {
      for (const name of Object.keys(a)) pairs.push([a[name], own(b, name)]);
      for (const name of Object.keys(b)) if (!Object.hasOwn(a, name)) pairs.push([undefined, b[name]]);
    } else if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) pairs.push([item, b[index]]);
    } else if (!isEmpty(a) || !isEmpty(b)) return false;
  }
  return true;
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isEmpty(value: unknown): boolean {
  const values = [value];
  while (values.length > 0) {
    const next = values.pop();
    if (isRecord(next)) for (const name of Object.keys(next)) values.push(next[name]);
    else if (next !== undefined && next !== null && !(Array.isArray(next) && next.length === 0)) return false;
  }
  return true;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
