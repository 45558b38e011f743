import type { Result } from '@hawser/gjson';
import { GoObject, type GoValue, GoNumber, float64, fn, int64 } from '@hawser/gotemplate';
import type { JsonArray, JsonObject, JsonValue } from '@hawser/json';

/**
 * The value at a path as the Go agent's templates see it in `.Value`: a `gjson.Result`, which prints as its text, with
 * its methods and fields (spec/api-syncagent.md §13.5).
 */
export function valueObject(result: Result): GoObject {
  const items = (): readonly Result[] =>
    result.items ?? (result.kind === 'missing' || result.kind === 'null' ? [] : [result]);
  return new GoObject({
    type: 'gjson.Result',
    text: () => result.text,
    fields: {
      Type: new GoObject({ type: 'gjson.Type', text: () => typeNames[result.kind] }),
      Raw: result.raw,
      Str: result.kind === 'string' ? result.text : '',
      Num: float64(result.number),
    },
    methods: {
      String: fn([], () => result.text),
      Exists: fn([], () => result.exists),
      Bool: fn([], () => isTrue(result)),
      Int: fn([], () => int64(integerOf(result))),
      Uint: fn([], () => new GoNumber('uint64', BigInt.asUintN(64, integerOf(result)))),
      Float: fn([], () => float64(floatOf(result))),
      IsArray: fn([], () => result.items !== undefined),
      IsObject: fn([], () => result.entries !== undefined),
      IsBool: fn([], () => result.kind === 'true' || result.kind === 'false'),
      Array: fn([], () => items().map(valueObject)),
      Map: fn([], () => Object.fromEntries((result.entries ?? []).map(([key, value]) => [key, valueObject(value)]))),
      Get: fn(['string'], (path) => valueObject(result.get(path))),
      Value: fn([], () => withDoubles(result.value ?? null)),
    },
  });
}

const typeNames: Readonly<Record<Result['kind'], string>> = {
  missing: 'Null',
  null: 'Null',
  false: 'False',
  number: 'Number',
  string: 'String',
  true: 'True',
  json: 'JSON',
};

function isTrue({ kind, text, number }: Result): boolean {
  return kind === 'true' || number !== 0 || (kind === 'string' && ['1', 't', 'true'].includes(text.toLowerCase()));
}

function integerOf({ kind, text, number, value }: Result): bigint {
  if (kind === 'string') return /^-?[0-9]+$/u.test(text) ? BigInt(text) : 0n;
  if (typeof value === 'bigint') return value;
  return kind === 'true' ? 1n : BigInt(Number.isFinite(number) ? Math.trunc(number) : 0);
}

function floatOf({ kind, text, number }: Result): number {
  if (kind === 'string')
    return /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/u.test(text) ? Number(text) : 0;
  return kind === 'true' ? 1 : number;
}

/** Converts all numbers to doubles, like gjson. */
function withDoubles(value: JsonValue): GoValue {
  if (typeof value === 'number' || typeof value === 'bigint') return float64(Number(value));
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(withDoubles);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withDoubles(field ?? null)]));
}

const isArray = (value: JsonArray | JsonObject): value is JsonArray => Array.isArray(value);
