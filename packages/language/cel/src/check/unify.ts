import { mapParameters, parametersOf, sameType, type Type, types } from './type.js';

/** Bindings of type variables, by name. Immutable: a failed check leaves no trace. */
export type Bindings = ReadonlyMap<string, Type>;

const isDynOrError = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'error';

/** Whether `a` is less specific than `b`, or equal. */
const isEqualOrLessSpecific = (a: Type, b: Type): boolean => {
  if (a.kind === 'dyn' || a.kind === 'param') {
    return true;
  }
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) {
    return false;
  }
  if (a.kind === 'type') {
    return true;
  }
  const [as, bs] = [parametersOf(a), parametersOf(b)];
  if (as.length === 0) {
    return sameType(a, b);
  }
  return (
    as.length === bs.length &&
    as.every((parameter, index) => isEqualOrLessSpecific(parameter, bs[index] ?? types.error))
  );
};

/** The more general of two matching types. */
export const mostGeneral = (a: Type, b: Type): Type => (isEqualOrLessSpecific(a, b) ? a : b);

const isNullable = (type: Type): boolean =>
  ['optional', 'opaque', 'object', 'timestamp', 'duration', 'null', 'dyn', 'error'].includes(type.kind);

const bound = (bindings: Bindings, type: Type): Type | undefined =>
  type.kind === 'param' ? bindings.get(type.name) : undefined;

/** Whether a variable does not occur within a type: otherwise it could stand for a type that contains it. */
const notReferencedIn = (bindings: Bindings, variable: Type, within: Type): boolean => {
  if (sameType(variable, within)) {
    return false;
  }
  if (within.kind === 'param') {
    const known = bound(bindings, within);
    return known === undefined || notReferencedIn(bindings, variable, known);
  }
  return parametersOf(within).every((parameter) => notReferencedIn(bindings, variable, parameter));
};

/** One attempt to unify two types: binds variables on the way. */
class Unification {
  readonly #bindings: Map<string, Type>;

  constructor(bindings: Bindings) {
    this.#bindings = new Map(bindings);
  }

  get bindings(): Bindings {
    return this.#bindings;
  }

  assignable(a: Type, b: Type): boolean {
    if (b.kind === 'param') {
      const { valid, known } = this.#substitutes(a, b);
      if (valid || known) {
        return valid;
      }
    }
    if (a.kind === 'param') {
      return this.#substitutes(b, a).valid;
    }
    if (isDynOrError(a) || isDynOrError(b)) {
      return true;
    }
    if (a.kind === 'null' || b.kind === 'null') {
      return isNullable(a.kind === 'null' ? b : a);
    }
    if (a.kind === 'type') {
      return b.kind === 'type';
    }
    if ('name' in a) {
      return 'name' in b && a.kind === b.kind && a.name === b.name;
    }
    return a.kind === b.kind && this.allAssignable(parametersOf(a), parametersOf(b));
  }

  allAssignable(as: readonly Type[], bs: readonly Type[]): boolean {
    return as.length === bs.length && as.every((a, index) => this.assignable(a, bs[index] ?? types.error));
  }

  /** Binds `variable` to `type` if possible; returns whether it was. */
  #substitutes(type: Type, variable: Type & { kind: 'param' }): { valid: boolean; known: boolean } {
    if (sameType(type, variable)) {
      return { valid: true, known: true };
    }
    const known = this.#bindings.get(variable.name);
    if (known === undefined) {
      if (!notReferencedIn(this.#bindings, variable, type)) {
        return { valid: false, known: false };
      }
      this.#bindings.set(variable.name, type);
      return { valid: true, known: false };
    }
    if (sameType(type, known)) {
      return { valid: true, known: true };
    }
    if (!this.assignable(type, known)) {
      return { valid: false, known: true };
    }
    const general = mostGeneral(type, known);
    if (notReferencedIn(this.#bindings, variable, general)) {
      this.#bindings.set(variable.name, general);
    }
    return { valid: true, known: true };
  }
}

/** The bindings that unify each of `as` with its counterpart in `bs`, or undefined. */
export const unify = (bindings: Bindings, as: readonly Type[], bs: readonly Type[]): Bindings | undefined => {
  const attempt = new Unification(bindings);
  return attempt.allAssignable(as, bs) ? attempt.bindings : undefined;
};

/** A type with all bindings applied. Unbound variables stay, or become `dyn`. */
export const substitute = (bindings: Bindings, type: Type, unknownIsDyn: boolean): Type => {
  const known = bound(bindings, type);
  if (known !== undefined) {
    return substitute(bindings, known, unknownIsDyn);
  }
  if (type.kind === 'param') {
    return unknownIsDyn ? types.dyn : type;
  }
  return mapParameters(type, (parameter) => substitute(bindings, parameter, unknownIsDyn));
};
