import type { Random } from './random.ts';

type Container = Record<string, unknown> | unknown[];

/** A damaged copy of `sample`: values missing, of another type, deep, wide, long, odd, huge. */
export function hostileVariant(sample: unknown, random: Random): unknown {
  if (random.chance(0.02)) return hostileValue(random);
  const copy: unknown = structuredClone(sample);
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const entries = entriesOf(copy);
    if (entries.length === 0) return hostileValue(random);
    const { container, key } = random.of(entries);
    change(container, key, random);
  }
  return copy;
}

interface Entry {
  readonly container: Container;
  readonly key: string;
}

/** Every inner value, up to a bound that keeps earlier damage from being scanned in full. */
function entriesOf(value: unknown): readonly Entry[] {
  const entries: Entry[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && entries.length < 2_000) {
    const container = open.pop();
    if (typeof container !== 'object' || container === null) continue;
    for (const [key, child] of Object.entries(container).slice(0, 200)) {
      entries.push({ container: container as Container, key });
      open.push(child);
    }
  }
  return entries;
}

function change(container: Container, key: string, random: Random): void {
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else Reflect.deleteProperty(container, key);
      return;
    case 1:
      // One more entry beside it.
      if (Array.isArray(container)) container.push(hostileValue(random));
      else own(container, random.of(KEYS), hostileValue(random));
      return;
    case 2: {
      // Also in another place.
      const { container: other, key: name } = random.of(entriesOf(container));
      own(container, key, structuredClone((other as Record<string, unknown>)[name]));
      return;
    }
    case 3:
      own(container, key, random.of(STRINGS));
      return;
    default:
      own(container, key, hostileValue(random));
  }
}

function own(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'a/b',
  'a.b.c',
  '\u0000',
  '\uD800',
  'metadata',
  'spec',
  'status',
  'items',
  'x'.repeat(5_000),
  'é',
  '$ref',
  'finalizers',
  'ownerReferences',
  'annotations',
  'default',
  'pattern',
  'x-kubernetes-validations',
];

const STRINGS = [
  '',
  ' ',
  '\n',
  '\u0000',
  '\uD800',
  '\uDC00\uD800',
  '‮evil',
  '\u2028',
  'é',
  '𝒳',
  '../../etc/passwd',
  '//',
  '%2e%2e/',
  'http://169.254.169.254/',
  'a'.repeat(100),
  'a'.repeat(70_000),
  '{{ .Object.metadata.name }}',
  '{{',
  '{{ range $i := until 1000000000 }}x{{ end }}',
  '(a+)+$',
  '[',
  '\\p{Nope}',
  'self.all(x, self.all(y, self.all(z, x == y)))',
  'self.spec',
  'true',
  'null',
  'NaN',
  '1e400',
  '-1',
  '9223372036854775808',
  '2026-01-01T00:00:00Z',
  '2026-13-45T99:99:99Z',
  'v1',
  'V1',
  'spec.a.b.#.c',
  '..',
  '@reverse',
  'a=b,c in (d',
  'key notin ()',
  'e30=',
  '****',
  '\u001b[2J',
];

const NUMBERS = [0, -0, 1, -1, 0.1, 1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 4_294_967_296, 2_147_483_648];

function hostileValue(random: Random): unknown {
  switch (random.below(15)) {
    case 0:
      return null;
    case 1:
      return random.of([true, false]);
    case 2:
      return random.of(NUMBERS);
    case 3:
      return random.of([9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]);
    case 4:
    case 5:
      return random.of(STRINGS);
    case 6:
      return [];
    case 7:
      return {};
    case 8:
      return [null, random.of(NUMBERS), random.of(STRINGS), {}, []];
    case 9:
      return { [random.of(KEYS)]: random.of(STRINGS), [random.of(KEYS)]: [random.of(NUMBERS)] };
    case 10:
      return Object.fromEntries(Array.from({ length: random.of([10, 500]) }, (_, at) => [`k${at}`, at]));
    case 11:
      return Array.from({ length: random.of([10, 1_000]) }, () => random.of(STRINGS.slice(0, 12)));
    case 12:
      return nested(random.of([5, 30, 90]), random.chance(0.5));
    case 13:
      return { toString: [], valueOf: 1, toJSON: [] };
    default:
      return JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}') as unknown;
  }
}

/** As deep as readers ever get: input checks refuse deeper values. */
function nested(depth: number, asList: boolean): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < depth; level++) value = asList ? [value] : { a: value };
  return value;
}
