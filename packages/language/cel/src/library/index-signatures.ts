import { fn, type Library } from '../check/declarations.js';
import { listOf, mapOf, optionalOf, param, type Type, types } from '../check/type.js';
import { access, find } from '../values/access.js';

const a = param('A');
const b = param('B');

const signatures = (
  name: string,
  call: typeof access | typeof find,
  results: readonly (readonly [Type, Type, Type])[],
): Library =>
  results.map(([container, key, result]) =>
    fn(name, [container, key], result, (operand = null, index = null) => call(operand, index)),
  );

/** Checker signatures of indexing and the conditional; the interpreter runs them itself. */
export const indexSignatures: Library = [
  ...signatures('_[_]', access, [
    [listOf(a), types.int, a],
    [mapOf(a, b), a, b],
    [optionalOf(listOf(a)), types.int, optionalOf(a)],
    [optionalOf(mapOf(a, b)), a, optionalOf(b)],
  ]),
  ...signatures('_[?_]', find, [
    [listOf(a), types.int, optionalOf(a)],
    [optionalOf(listOf(a)), types.int, optionalOf(a)],
    [mapOf(a, b), a, optionalOf(b)],
    [optionalOf(mapOf(a, b)), a, optionalOf(b)],
  ]),
  fn('_?_:_', [types.bool, a, a], a, (condition = null, yes = null, no = null) => (condition === true ? yes : no)),
];
