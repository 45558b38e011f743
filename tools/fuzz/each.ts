/** Every wrong type of value, and text that breaks what quotes it. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  9_223_372_036_854_775_807n,
  '',
  '\u0000\uD800',
  [],
  [null],
  ['a', {}],
  {},
  { toString: [], valueOf: 1, toJSON: [] },
  { a: { b: 'c' } },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}') as unknown,
];

/** Copies of `sample` in each of which one value is replaced or missing: each value, by each replacement. */
export function* eachVariant(sample: unknown): Generator<{ readonly what: string; readonly value: unknown }> {
  for (const path of pathsOf(sample, [])) {
    const at = path.length === 0 ? 'the whole' : path.join('.');
    for (const [index, replacement] of REPLACEMENTS.entries())
      yield { what: `${at} replaced (${index})`, value: variant(sample, path, replacement) };
    if (path.length > 0) yield { what: `${at} missing`, value: variant(sample, path, undefined) };
  }
}

function* pathsOf(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  yield path;
  if (typeof value === 'object' && value !== null)
    for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...path, key]);
}

/** `undefined` in place of a replacement takes the value away. */
function variant(sample: unknown, path: readonly string[], replacement: unknown): unknown {
  const last = path.at(-1);
  if (last === undefined) return structuredClone(replacement);
  const copy: unknown = structuredClone(sample);
  const container = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy) as Record<string, unknown>;
  if (replacement !== undefined) container[last] = structuredClone(replacement);
  else if (Array.isArray(container)) container.splice(Number(last), 1);
  else Reflect.deleteProperty(container, last);
  return copy;
}
