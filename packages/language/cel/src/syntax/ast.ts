/** A literal. `uint` is separate because JavaScript has only one integer type. */
export type Literal =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

interface Node {
  /** Number of the node in its expression: the key of the checker's types and overloads. */
  readonly id: number;
  /** Error position of the node, in code units from the start of the source. */
  readonly offset: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly literal: Literal;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `plain`: `a.b`; `test`: `has(a.b)`; `optional`: `a.?b`. */
  readonly mode: 'plain' | 'test' | 'optional';
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly target: Expr | undefined;
  readonly name: string;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Expr; readonly optional: boolean }[];
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly { readonly name: string; readonly value: Expr; readonly optional: boolean }[];
}

/** Kinds of macros over a list or map. */
export type ComprehensionKind =
  'all' | 'exists' | 'existsOne' | 'map' | 'filter' | 'transformMap' | 'transformMapEntry';

/** A macro such as `list.all(x, …)`. Not expanded into a fold: types, results and errors are the same. */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly macro: ComprehensionKind;
  readonly range: Expr;
  readonly iterVar: string;
  /** The second variable of `transformList` and of the two-variable forms of `all`, `exists` and `existsOne`. */
  readonly iterVar2: string | undefined;
  /**
   * The deciding expression: the predicate of `all`, `exists`, `existsOne`, `filter`, and the middle argument of `map`
   * and `transform…`.
   */
  readonly condition: Expr | undefined;
  readonly result: Expr | undefined;
}

/** Binds one value to one name: the form of `optMap`, `optFlatMap` and `sortBy`. */
export interface BindExpr extends Node {
  readonly kind: 'bind';
  readonly name: string;
  readonly value: Expr;
  readonly body: Expr;
}

export type Expr =
  LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr | BindExpr;

/** Children of a node, in source order. */
export const childrenOf = (expr: Expr): readonly Expr[] => {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map((element) => element.value);
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return expr.fields.map((field) => field.value);
    case 'comprehension':
      return [expr.range, expr.condition, expr.result].filter((child) => child !== undefined);
    case 'bind':
      return [expr.value, expr.body];
  }
};

/** `a.b.c` as one name, if the expression consists only of names. */
export const qualifiedName = (expr: Expr): string | undefined => {
  if (expr.kind === 'ident') {
    return expr.name;
  }
  if (expr.kind === 'select' && expr.mode === 'plain') {
    const prefix = qualifiedName(expr.operand);
    return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
  }
  return undefined;
};
