import {
  type BindExpr,
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type ListExpr,
  type MapExpr,
  qualifiedName,
  type SelectExpr,
} from '../syntax/ast.js';
import type { Issue } from '../syntax/issue.js';
import { UnsupportedExpression } from '../unsupported.js';
import type { Functions, Overload } from './declarations.js';
import {
  formatType,
  listOf,
  mapOf,
  mapParameters,
  optionalOf,
  param,
  parametersOf,
  sameType,
  type Type,
  types,
} from './type.js';
import { type Bindings, mostGeneral, substitute, unify } from './unify.js';

/** Names that an expression may refer to. */
export interface Declarations {
  readonly functions: Functions;
  /** Types of variables and of type names. */
  readonly variables: ReadonlyMap<string, Type>;
}

/** Results of the checker, by node id. */
export interface Checked {
  readonly issues: readonly Issue[];
  readonly resultType: Type;
  readonly types: ReadonlyMap<number, Type>;
  /** Possible overloads of a call; more than one if a type is known only at run time. */
  readonly overloads: ReadonlyMap<
    number,
    { readonly name: string; readonly candidates: readonly Overload[]; readonly namespaced: boolean }
  >;
  /** Names with dots that stand for one declared thing: `net.IP`. */
  readonly names: ReadonlyMap<number, string>;
}

interface Scope {
  readonly variables: ReadonlyMap<string, Type>;
  readonly parent: Scope | undefined;
}

const literalTypes = {
  null: types.null,
  bool: types.bool,
  int: types.int,
  uint: types.uint,
  double: types.double,
  string: types.string,
  bytes: types.bytes,
};

const unwrapOptional = (type: Type): { type: Type; wasOptional: boolean } =>
  type.kind === 'optional' ? { type: type.of, wasOptional: true } : { type, wasOptional: false };

/** Type checker equivalent to cel-go's (`checker.go`): the same errors at the same places. */
class Checker {
  readonly issues: Issue[] = [];
  readonly types = new Map<number, Type>();
  readonly overloads = new Map<number, { name: string; candidates: readonly Overload[]; namespaced: boolean }>();
  readonly names = new Map<number, string>();
  #bindings: Bindings = new Map();
  #variableCount = 0;
  #scope: Scope;

  constructor(private readonly declarations: Declarations) {
    this.#scope = { variables: declarations.variables, parent: undefined };
  }

  check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.types.set(expr.id, type);
    return type;
  }

  /** Replaces every variable by its final type. */
  final(type: Type): Type {
    return substitute(this.#bindings, type, true);
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalTypes[expr.literal.type];
      case 'ident':
        return this.#ident(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr.typeName, expr);
      case 'comprehension':
        return this.#comprehension(expr);
      case 'bind':
        return this.#bind(expr);
    }
  }

  #report(at: Expr, message: string): typeof types.error {
    this.issues.push({ offset: at.offset, message });
    return types.error;
  }

  #lookup(name: string): Type | undefined {
    for (let scope: Scope | undefined = this.#scope; scope !== undefined; scope = scope.parent) {
      const type = scope.variables.get(name);
      if (type !== undefined) {
        return type;
      }
    }
    return undefined;
  }

  #within<T>(variables: readonly (readonly [string, Type])[], run: () => T): T {
    const outer = this.#scope;
    this.#scope = { variables: new Map(variables), parent: outer };
    try {
      return run();
    } finally {
      this.#scope = outer;
    }
  }

  #newVariable(): Type {
    this.#variableCount += 1;
    return param(`_var${this.#variableCount - 1}`);
  }

  #assignable(a: Type, b: Type): boolean {
    const bindings = unify(this.#bindings, [a], [b]);
    this.#bindings = bindings ?? this.#bindings;
    return bindings !== undefined;
  }

  #known(type: Type): Type {
    return substitute(this.#bindings, type, false);
  }

  #mismatch(at: Expr, expected: Type, actual: Type): Type {
    return this.#report(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #undeclared(at: Expr, name: string): Type {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  #ident(expr: Expr, written: string): Type {
    const name = written.startsWith('.') ? written.slice(1) : written;
    const type = this.#lookup(name);
    if (type === undefined) {
      return this.#undeclared(expr, written);
    }
    this.names.set(expr.id, name);
    return type;
  }

  #select(expr: SelectExpr): Type {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#lookup(name);
    if (name !== undefined && named !== undefined) {
      this.names.set(expr.id, name);
      return named;
    }
    const result = this.#field(expr);
    return expr.mode === 'test' ? types.bool : this.#known(result);
  }

  #field(expr: SelectExpr): Type {
    const { type: target, wasOptional } = unwrapOptional(this.#known(this.check(expr.operand)));
    const result = this.#fieldOf(expr, target);
    return wasOptional || expr.mode === 'optional' ? optionalOf(result) : result;
  }

  #fieldOf(expr: SelectExpr, target: Type): Type {
    if (target.kind === 'map') {
      return target.value;
    }
    if (target.kind === 'object') {
      return target.field(expr.field) ?? this.#report(expr, `undefined field '${expr.field}'`);
    }
    if (target.kind === 'param') {
      this.#assignable(types.dyn, target);
    } else if (target.kind !== 'dyn' && target.kind !== 'error') {
      this.#report(expr, `type '${formatType(target)}' does not support field selection`);
    }
    return types.dyn;
  }

  #call(expr: CallExpr): Type {
    const argTypes = expr.args.map((arg) => this.check(arg));
    if (expr.name === '_&&_' || expr.name === '_||_') {
      return this.#logical(expr, argTypes);
    }
    if (expr.target === undefined) {
      const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
      return this.#resolve(expr, name, argTypes, false, true);
    }
    const prefix = qualifiedName(expr.target);
    const namespaced = prefix === undefined ? undefined : `${prefix}.${expr.name}`;
    if (namespaced !== undefined && this.declarations.functions.has(namespaced)) {
      return this.#resolve(expr, namespaced, argTypes, false, true);
    }
    return this.#resolve(expr, expr.name, [this.check(expr.target), ...argTypes], true, false);
  }

  #logical(expr: CallExpr, argTypes: readonly Type[]): Type {
    const wrong = argTypes.filter((type, index) => {
      const fits = this.#assignable(type, types.bool);
      if (!fits) {
        this.#mismatch(expr.args[index] ?? expr, types.bool, type);
      }
      return !fits;
    });
    return wrong.length === 0 ? types.bool : types.error;
  }

  #resolve(expr: CallExpr, name: string, argTypes: readonly Type[], member: boolean, namespaced: boolean): Type {
    const overloads = this.declarations.functions.get(name);
    if (overloads === undefined) {
      return this.#undeclared(expr, expr.name);
    }
    const candidates: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloads.filter((candidate) => candidate.member === member)) {
      const instance = this.#instantiate(overload);
      const bindings = unify(this.#bindings, argTypes, instance.args);
      if (bindings === undefined) {
        continue;
      }
      this.#bindings = bindings;
      candidates.push(overload);
      const type = this.#known(instance.result);
      result = result === undefined || sameType(result, type) || result.kind === 'dyn' ? (result ?? type) : types.dyn;
    }
    if (result === undefined) {
      return this.#noOverload(expr, name, argTypes, member);
    }
    this.overloads.set(expr.id, { name, candidates, namespaced });
    return result;
  }

  #noOverload(expr: CallExpr, name: string, argTypes: readonly Type[], member: boolean): Type {
    const names = argTypes.map((type) => formatType(this.final(type)));
    const receiver = member ? `${names.shift() ?? ''}.` : '';
    return this.#report(expr, `found no matching overload for '${name}' applied to '${receiver}(${names.join(', ')})'`);
  }

  /** A signature with fresh variables. */
  #instantiate(overload: Overload): { args: readonly Type[]; result: Type } {
    const fresh = new Map<string, Type>();
    const rename = (type: Type): Type => {
      if (type.kind !== 'param') {
        return parametersOf(type).length === 0 ? type : mapParameters(type, rename);
      }
      const known = fresh.get(type.name) ?? this.#newVariable();
      fresh.set(type.name, known);
      return known;
    };
    return { args: overload.args.map(rename), result: rename(overload.result) };
  }

  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) {
      return current;
    }
    return this.#assignable(previous, current) ? mostGeneral(previous, current) : types.dyn;
  }

  #element(value: Expr, optional: boolean): Type {
    const type = this.check(value);
    if (!optional) {
      return type;
    }
    const inner = unwrapOptional(type);
    if (!inner.wasOptional && inner.type.kind !== 'dyn') {
      this.#mismatch(value, optionalOf(type), type);
    }
    return inner.type;
  }

  #list(expr: ListExpr): Type {
    let element: Type | undefined;
    for (const { value, optional } of expr.elements) {
      element = this.#join(element, this.#element(value, optional));
    }
    return listOf(element ?? this.#newVariable());
  }

  #map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.check(entry.key));
      value = this.#join(value, this.#element(entry.value, entry.optional));
    }
    return mapOf(key ?? this.#newVariable(), value ?? this.#newVariable());
  }

  #struct(typeName: string, expr: Expr): Type {
    const name = typeName.startsWith('.') ? typeName.slice(1) : typeName;
    if (name.startsWith('google.protobuf.')) {
      throw new UnsupportedExpression(`message literal ${name}{}`);
    }
    return this.#lookup(name) === undefined
      ? this.#undeclared(expr, typeName)
      : this.#report(expr, `'${typeName}' is not a message type`);
  }

  #variablesOf(expr: ComprehensionExpr, range: Type): readonly [Type, Type] {
    if (range.kind === 'list') {
      return expr.iterVar2 === undefined ? [range.element, types.error] : [types.int, range.element];
    }
    if (range.kind === 'map') {
      return [range.key, range.value];
    }
    if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'param') {
      this.#assignable(types.dyn, range);
      return [types.dyn, types.dyn];
    }
    this.#report(
      expr.range,
      `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [types.error, types.error];
  }

  #comprehension(expr: ComprehensionExpr): Type {
    const range = this.#known(this.check(expr.range));
    const [first, second] = this.#variablesOf(expr, range);
    const variables: (readonly [string, Type])[] = [[expr.iterVar, first]];
    if (expr.iterVar2 !== undefined) {
      variables.push([expr.iterVar2, second]);
    }
    return this.#within(variables, () => {
      const conditionType = expr.condition === undefined ? types.bool : this.check(expr.condition);
      const result = this.#known(this.#comprehensionResult(expr, first));
      this.#predicate(expr, conditionType, expr.macro === 'existsOne' ? types.int : result);
      return result;
    });
  }

  /** cel-go reports a non-bool predicate at the operator that the macro expands to. */
  #predicate(expr: ComprehensionExpr, type: Type, accumulated: Type): void {
    if (this.#assignable(type, types.bool)) {
      return;
    }
    if (expr.macro === 'all' || expr.macro === 'exists') {
      this.#mismatch(expr.condition ?? expr, types.bool, type);
      return;
    }
    const accumulator = formatType(this.final(accumulated));
    this.#report(
      expr,
      `found no matching overload for '_?_:_' applied to '(${formatType(this.final(type))}, ${accumulator}, ${accumulator})'`,
    );
  }

  #comprehensionResult(expr: ComprehensionExpr, first: Type): Type {
    const result = expr.result === undefined ? undefined : this.check(expr.result);
    switch (expr.macro) {
      case 'all':
      case 'exists':
      case 'existsOne':
        return types.bool;
      case 'filter':
        return listOf(first);
      case 'map':
        return listOf(result ?? types.error);
      case 'transformMap':
        return mapOf(first, result ?? types.error);
      case 'transformMapEntry':
        return this.#entryMap(expr, result ?? types.error);
    }
  }

  #entryMap(expr: ComprehensionExpr, result: Type): Type {
    const [key, value] = [this.#newVariable(), this.#newVariable()];
    const map = mapOf(key, value);
    if (!this.#assignable(result, map)) {
      this.#report(
        expr,
        `found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ${formatType(this.final(result))})'`,
      );
    }
    return map;
  }

  #bind(expr: BindExpr): Type {
    const value = this.check(expr.value);
    return this.#within([[expr.name, value]], () => this.check(expr.body));
  }
}

/**
 * Infers the type of an expression, and reports everything undeclared or ill-typed.
 *
 * @throws {UnsupportedExpression} for an expression that an API server may accept but this package cannot run
 */
export const check = (expr: Expr, declarations: Declarations): Checked => {
  const checker = new Checker(declarations);
  const resultType = checker.final(checker.check(expr));
  return {
    issues: checker.issues,
    resultType,
    types: new Map(Array.from(checker.types, ([id, type]) => [id, checker.final(type)])),
    overloads: checker.overloads,
    names: checker.names,
  };
};
