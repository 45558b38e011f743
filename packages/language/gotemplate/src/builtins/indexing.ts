import { fn, type FunctionMap, variadicFn } from '../template-function.js';
import { byteLength, fromBytes, toBytes } from '../values/bytes.js';
import { GoNumber, int, numberView } from '../values/go-number.js';
import type { GoValue } from '../values/go-value.js';
import { elementType, getKey, isList, isMap, isNil, typeName, withElements } from '../values/types.js';

function position(index: GoValue, limit: number): number {
  if (isNil(index)) throw new Error('cannot index slice/array with nil');
  const number = numberView(index);
  if (number === undefined || number.kind === 'float')
    throw new Error(`cannot index slice/array with type ${typeName(index)}`);
  if (number.value < 0n || number.value > BigInt(limit)) throw new Error('index out of range');
  return Number(number.value);
}

function index(item: GoValue, key: GoValue): GoValue {
  if (isNil(item)) throw new Error('index of nil pointer');
  if (typeof item === 'string') {
    const byte = toBytes(item)[position(key, byteLength(item))];
    if (byte === undefined) throw new Error('index out of range');
    return new GoNumber('uint8', BigInt(byte));
  }
  if (isList(item)) {
    const at = position(key, item.length);
    if (at >= item.length) throw new Error('index out of range');
    return item[at];
  }
  if (isMap(item)) {
    if (isNil(key)) throw new Error('value is nil; should be of type string');
    if (typeof key !== 'string') throw new Error(`value has type ${typeName(key)}; should be string`);
    const value = getKey(item, key);
    // A missing key gives the zero value of the map's elements, a nil interface: accessing a field of it is an error.
    return value === undefined ? zeroElement(elementType(item)) : value;
  }
  throw new Error(`can't index item of type ${typeName(item)}`);
}

function zeroElement(type: string): GoValue {
  return type === 'string' ? '' : null;
}

function slice(item: GoValue, indexes: readonly GoValue[]): GoValue {
  if (isNil(item)) throw new Error('slice of untyped nil');
  if (indexes.length > 3) throw new Error(`too many slice indexes: ${indexes.length}`);
  if (typeof item !== 'string' && !isList(item)) throw new Error(`can't slice item of type ${typeName(item)}`);
  if (typeof item === 'string' && indexes.length === 3) throw new Error('cannot 3-index slice a string');
  const length = typeof item === 'string' ? byteLength(item) : item.length;
  const [start = 0, end = length, capacity = length] = indexes.map((at) => position(at, length));
  if (start > end || end > capacity) throw new Error('invalid slice index');
  if (typeof item === 'string') return fromBytes(toBytes(item).subarray(start, end));
  return withElements(elementType(item), item.slice(start, end));
}

function length(item: GoValue): GoValue {
  if (isNil(item)) throw new Error('len of nil pointer');
  if (typeof item === 'string') return int(byteLength(item));
  if (isList(item)) return int(item.length);
  if (isMap(item)) return int(Object.keys(item).length);
  throw new Error(`len of type ${typeName(item)}`);
}

export const indexing: FunctionMap = {
  index: variadicFn(['any'], 'any', (item, keys) => {
    if (isNil(item)) throw new Error('index of untyped nil');
    return keys.reduce<GoValue>((value, key) => index(value, key), item);
  }),
  slice: variadicFn(['any'], 'any', (item, indexes) => slice(item, indexes)),
  len: fn(['any'], (item) => length(item)),
};
