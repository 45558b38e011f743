import type { Value } from '../values/value.js';
import type { Type } from './type.js';

/** One signature of a function, and its implementation. */
export interface Overload {
  /** Whether it is called on its first argument: `a.f(b)`. */
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Whether it checks its argument types itself at run time. */
  readonly unguarded?: true;
  /**
   * Gets one value per argument, of these types.
   * @throws {CelError}
   */
  readonly call: (...args: Value[]) => Value;
}

/** Functions by name. A name with dots (`ip.isCanonical`) belongs to no value. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** Functions of a library. */
export type Library = readonly (readonly [name: string, overload: Overload])[];

export const fn = (name: string, args: readonly Type[], result: Type, call: Overload['call']): Library[number] => [
  name,
  { member: false, args, result, call },
];

export const method = (name: string, args: readonly Type[], result: Type, call: Overload['call']): Library[number] => [
  name,
  { member: true, args, result, call },
];

/** The same functions without argument checks: they check themselves, and only say `no such overload`. */
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
