import { canonical } from './canonical.js';

// Go structs as encoding/json writes them: fields in a given order.

/** Writes a string with Go's escapes. */
export function goString(text: string): string {
  return canonical(text);
}

/** Writes a raw JSON value, keys sorted by their bytes; `null` for none. */
export function goRaw(value: unknown): string {
  return value === undefined ? 'null' : canonical(value);
}

/** Writes a boolean. A value of another type, from a peer, counts as false. */
export function goBoolean(value: unknown): string {
  return value === true ? 'true' : 'false';
}

export function goArray<T>(items: readonly T[], encode: (item: T) => string): string {
  return `[${items.map(encode).join(',')}]`;
}

/** Writes a struct: the fields in the given order, without undefined ones. */
export function goStruct(fields: readonly (readonly [name: string, encoded: string | undefined])[]): string {
  const parts: string[] = [];
  for (const [name, encoded] of fields) if (encoded !== undefined) parts.push(`"${name}":${encoded}`);
  return `{${parts.join(',')}}`;
}

/** `omitempty` for strings. */
export function unlessEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : goString(text);
}

/** `omitempty` for lists. */
export function listUnlessEmpty<T>(items: readonly T[] | undefined, encode: (item: T) => string): string | undefined {
  return items === undefined || items.length === 0 ? undefined : goArray(items, encode);
}
