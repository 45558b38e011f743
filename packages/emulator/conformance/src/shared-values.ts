import { canonical, isObject, type JsonObject, type JsonValue, stringify } from '@hawser/json';

/** Repeated values are written once: `{"$": 5}` is the fifth of `values`, which may refer to earlier ones. */
export interface SharedValues {
  readonly values: readonly JsonValue[];
  readonly content: JsonValue;
}

/** Shorter values are not shared. */
const worthwhile = 60;

/** The inverse of {@link unshare}. */
export function share(content: JsonValue): SharedValues {
  const counts = new Map<string, number>();
  const count = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) return;
    const text = canonical(value);
    if (text.length < worthwhile) return;
    const before = counts.get(text) ?? 0;
    counts.set(text, before + 1);
    if (before === 0) for (const item of Object.values(value)) if (item !== undefined) count(item);
  };
  count(content);
  const values: JsonValue[] = [];
  const indexes = new Map<string, number>();
  const encode = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    const text = canonical(value);
    if ((counts.get(text) ?? 0) < 2) return parts(value, encode);
    const known = indexes.get(text);
    if (known !== undefined) return { $: known };
    const encoded = parts(value, encode);
    indexes.set(text, values.length);
    values.push(encoded);
    return { $: values.length - 1 };
  };
  return { content: encode(content), values };
}

/** The original content. */
export function unshare({ values, content }: SharedValues): JsonValue {
  const decoded: JsonValue[] = [];
  const decode = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    const index = isObject(value) && Object.keys(value).length === 1 ? value['$'] : undefined;
    if (typeof index !== 'number') return parts(value, decode);
    const found = decoded[index];
    if (found === undefined) throw new RangeError(`there is no value ${index}: ${stringify(value)}`);
    return found;
  };
  for (const value of values) decoded.push(decode(value));
  return decode(content);
}

/** Keys are data: `__proto__` is an ordinary key. */
function parts(value: JsonObject | readonly JsonValue[], change: (value: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(change);
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    if (item !== undefined)
      Object.defineProperty(copy, key, { value: change(item), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
