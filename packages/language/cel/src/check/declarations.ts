import type { Value } from '../values/value.js';
import type { Type } from './type.js';

/** One signature of a function, and what it does. */
export interface Overload {
  /** Whether it is called on its first argument: `a.f(b)`. */
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Whether it looks at the types of its arguments itself when it runs. */
  readonly unguarded?: true;
  /** Gets as many values as there are arguments, of these types. @throws {CelError} */
  readonly call: (...args: Value[]) => Value;
}

/** Functions by name. A name with dots (`ip.isCanonical`) belongs to no value. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** What a library adds. */
export type Library = readonly (readonly [name: string, overload: Overload])[];

export const fn = (name: string, args: readonly Type[], result: Type, call: Overload['call']): Library[number] => [
  name,
  { member: false, args, result, call },
];

export const method = (name: string, args: readonly Type[], result: Type, call: Overload['call']): Library[number] => [
  name,
  { member: true, args, result, call },
];

/** The same functions, without a look at their arguments: they see for themselves, and say only `no such overload`. */
export const unguarded = (library: Library): Library =>
  library.map(([name, overload]) => [name, { ...overload, unguarded: true }]);

/** All functions of several libraries. Overloads are tried in this order. */
export const functionsOf = (...libraries: readonly Library[]): Functions => {
  const functions = new Map<string, Overload[]>();
  for (const [name, overload] of libraries.flat()) {
    const overloads = functions.get(name);
    if (overloads === undefined) {
      functions.set(name, [overload]);
    } else {
      overloads.push(overload);
    }
  }
  return functions;
};
