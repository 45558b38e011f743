import { equal, isObject, type JsonValue } from '@hawser/json';
import type { Exchange, Transcript } from './exchange.js';

const most = 25;

/** Differences of two transcripts as text; empty if they are equal. */
export function differences(
  expectedName: string,
  expected: Transcript,
  actualName: string,
  actual: Transcript,
): readonly string[] {
  const found: string[] = [];
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length && found.length < most; index++) {
    const [one, other] = [expected[index], actual[index]];
    const where = `${index + 1}. ${(one ?? other)?.request ?? ''}`;
    if (one === undefined || other === undefined)
      found.push(`${where}: only ${one === undefined ? actualName : expectedName} has this request`);
    else if (one.request !== other.request) found.push(`${where}: ${actualName} was asked ${other.request}`);
    else compare(one, other, where);
  }
  return found.slice(0, most);

  function compare(one: Exchange, other: Exchange, where: string): void {
    for (const part of ['status', 'headers', 'body', 'events'] as const)
      walk(one[part], other[part], `${where}: ${part}`);
  }

  function walk(one: JsonValue | undefined, other: JsonValue | undefined, where: string): void {
    if (found.length >= most || equal(one, other)) return;
    if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        walk(own(one, key), own(other, key), `${where}.${key}`);
      return;
    }
    if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
      for (let index = 0; index < one.length; index++)
        walk((one as readonly JsonValue[])[index], (other as readonly JsonValue[])[index], `${where}[${index}]`);
      return;
    }
    found.push(`${where}: ${expectedName} ${shown(one)}, ${actualName} ${shown(other)}`);
  }
}

function own(object: Readonly<Record<string, JsonValue | undefined>>, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'has nothing';
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
  return text.length > 700 ? `${text.slice(0, 700)}…` : text;
}
