import { Activation } from './activation.js';
import type { Checked } from './check/checker.js';
import type { Overload } from './check/declarations.js';
import { runtimeName, type Type } from './check/type.js';
import { evaluateComprehension, type Step } from './comprehension.js';
import { typeNames } from './library/conversion.js';
import type {
  BindExpr,
  CallExpr,
  ComprehensionExpr,
  Expr,
  ListExpr,
  Literal,
  MapExpr,
  SelectExpr,
} from './syntax/ast.js';
import { list, NativeMap } from './values/collections.js';
import { CelError } from './values/error.js';
import { access, find, isPresent } from './values/access.js';
import { takeCall, takeResult, takeSteps } from './values/steps.js';
import { typeName } from './values/type-name.js';
import { isList, isMap, Optional, TypeValue, Uint, type Value } from './values/value.js';

const literalValue = (literal: Literal): Value => {
  if (literal.type === 'null') {
    return null;
  }
  return literal.type === 'uint' ? new Uint(literal.value) : literal.value;
};

const first = (values: Iterable<Value>): Value | undefined => {
  const { value, done } = values[Symbol.iterator]().next() as IteratorResult<Value, undefined>;
  return done === true ? undefined : value;
};

/** Whether a value can be an argument of a type. Checks only the first element of a list or map. */
const accepts = (type: Type, value: Value): boolean => {
  if (type.kind === 'dyn' || type.kind === 'param' || type.kind === 'error') {
    return true;
  }
  if (type.kind === 'list' && isList(value)) {
    const element = value.at(0);
    return element === undefined || accepts(type.element, element);
  }
  if (type.kind === 'map' && isMap(value)) {
    const key = first(value.keys());
    return key === undefined || (accepts(type.key, key) && accepts(type.value, value.find(key) ?? null));
  }
  if (type.kind === 'object') {
    return isMap(value);
  }
  return typeName(value) === runtimeName(type);
};

const noOverload = (name: string, values: readonly Value[]): CelError =>
  new CelError(`no such overload: ${name}(${values.map(typeName).join(', ')})`);

const booleanOf = (value: Value): boolean => {
  if (typeof value !== 'boolean') {
    throw new CelError('no such overload');
  }
  return value;
};

const unwrapEntry = (value: Value, what: string): Value | undefined => {
  if (!(value instanceof Optional)) {
    throw new CelError(`cannot initialize optional ${what} from non-optional value`);
  }
  return value.value;
};

/** The API server's cost of creating a list or map. */
const LIST_STEPS = 10;
const MAP_STEPS = 30;

class Compiler {
  constructor(private readonly checked: Checked) {}

  compile(expr: Expr): Step {
    switch (expr.kind) {
      case 'literal': {
        const value = literalValue(expr.literal);
        return () => value;
      }
      case 'ident':
        return this.#name(expr.id, expr.name);
      case 'select':
        return this.checked.names.has(expr.id) ? this.#name(expr.id, expr.field) : this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        throw new RangeError('the checker lets no message literal through');
      case 'comprehension':
        return this.#comprehension(expr);
      case 'bind':
        return this.#bind(expr);
    }
  }

  #name(id: number, written: string): Step {
    const name = this.checked.names.get(id) ?? written;
    const type = typeNames.has(name) ? new TypeValue(name) : undefined;
    return (activation) => {
      takeSteps(1);
      const found = activation.find(name);
      const value = found === undefined ? type : found;
      if (value === undefined) {
        throw new CelError(`no such attribute(s): ${name}`);
      }
      return value;
    };
  }

  #select(expr: SelectExpr): Step {
    const operand = this.compile(expr.operand);
    const { field, mode } = expr;
    switch (mode) {
      case 'test':
        return (activation) => isPresent(operand(activation), field);
      case 'optional':
        return (activation) => find(operand(activation), field);
      case 'plain':
        return (activation) => {
          takeSteps(1);
          return access(operand(activation), field);
        };
    }
  }

  #call(expr: CallExpr): Step {
    const args = expr.args.map((arg) => this.compile(arg));
    const [first, second, third] = args;
    if (first !== undefined && second !== undefined) {
      switch (expr.name) {
        case '_&&_':
          return this.#logical(first, second, false);
        case '_||_':
          return this.#logical(first, second, true);
        case '_[_]':
          return (activation) => {
            takeSteps(1);
            return access(first(activation), second(activation));
          };
        case '_[?_]':
          return (activation) => find(first(activation), second(activation));
        case '_?_:_':
          return third === undefined
            ? this.#overloaded(expr, args)
            : (activation) => (booleanOf(first(activation)) ? second(activation) : third(activation));
        default:
      }
    }
    return this.#overloaded(expr, args);
  }

  /** `&&` and `||`: either side can decide alone; then an error on the other side does not matter. */
  #logical(left: Step, right: Step, deciding: boolean): Step {
    return (activation) => {
      let failure: CelError;
      try {
        return booleanOf(left(activation)) === deciding ? deciding : booleanOf(right(activation));
      } catch (error) {
        if (!(error instanceof CelError)) {
          throw error;
        }
        failure = error;
      }
      try {
        if (right(activation) === deciding) {
          return deciding;
        }
      } catch (error) {
        if (!(error instanceof CelError)) {
          throw error;
        }
      }
      throw failure;
    };
  }

  #overloaded(expr: CallExpr, args: readonly Step[]): Step {
    const resolved = this.checked.overloads.get(expr.id);
    if (resolved === undefined) {
      throw new RangeError(`unchecked call of ${expr.name}`);
    }
    const { name, candidates, namespaced } = resolved;
    const target = expr.target === undefined || namespaced ? undefined : this.compile(expr.target);
    const steps = target === undefined ? args : [target, ...args];
    const [receiver, alternative] = steps;
    if ((name === 'or' || name === 'orValue') && receiver !== undefined && alternative !== undefined) {
      return this.#or(receiver, alternative, name === 'orValue');
    }
    return (activation) => {
      const values = steps.map((step) => step(activation));
      return dispatch(name, candidates, values);
    };
  }

  #or(optional: Step, alternative: Step, unwrap: boolean): Step {
    return (activation) => {
      const value = optional(activation);
      if (!(value instanceof Optional)) {
        throw new CelError('no such overload');
      }
      return value.value === undefined ? alternative(activation) : unwrap ? value.value : value;
    };
  }

  #list(expr: ListExpr): Step {
    const elements = expr.elements.map(({ value, optional }) => ({ step: this.compile(value), optional }));
    return (activation) => {
      takeSteps(LIST_STEPS);
      const values: Value[] = [];
      for (const { step, optional } of elements) {
        const value = step(activation);
        const element = optional ? unwrapEntry(value, 'list element') : value;
        if (element !== undefined) {
          values.push(element);
        }
      }
      return list(values);
    };
  }

  #map(expr: MapExpr): Step {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.compile(key),
      value: this.compile(value),
      optional,
    }));
    return (activation) => {
      takeSteps(MAP_STEPS);
      const pairs: (readonly [Value, Value])[] = [];
      for (const entry of entries) {
        const key = entry.key(activation);
        const value = entry.value(activation);
        const present = entry.optional ? unwrapEntry(value, 'entry') : value;
        if (present !== undefined) {
          pairs.push([key, present]);
        }
      }
      return new NativeMap(pairs);
    };
  }

  #comprehension(expr: ComprehensionExpr): Step {
    const range = this.compile(expr.range);
    const condition = expr.condition === undefined ? undefined : this.compile(expr.condition);
    const result = expr.result === undefined ? undefined : this.compile(expr.result);
    return (activation) => {
      const over = range(activation);
      if (!isList(over) && !isMap(over)) {
        throw new CelError(`got '${typeName(over)}', expected iterable type`);
      }
      return evaluateComprehension({
        macro: expr.macro,
        over,
        iterVar: expr.iterVar,
        iterVar2: expr.iterVar2,
        condition,
        result,
        activation,
      });
    };
  }

  #bind(expr: BindExpr): Step {
    const value = this.compile(expr.value);
    const body = this.compile(expr.body);
    return (activation) => body(new Activation(expr.name, value(activation), activation));
  }
}

const dispatch = (name: string, candidates: readonly Overload[], values: readonly Value[]): Value => {
  takeCall(name, values);
  for (const candidate of candidates) {
    if (
      candidate.unguarded === true ||
      values.every((value, index) => accepts(candidate.args[index] ?? { kind: 'error' }, value))
    ) {
      const result = candidate.call(...values);
      takeResult(result);
      return result;
    }
  }
  throw noOverload(name, values);
};

/** Compiles a checked expression to a function of its visible names. Throws only CelErrors. */
export const compile = (expr: Expr, checked: Checked): Step => new Compiler(checked).compile(expr);
