import type { ComprehensionKind, Expr } from './ast.js';
import { CelSyntaxError } from './issue.js';

/** Numbers nodes; each parser has its own. */
export type NextId = () => number;

interface MacroCall {
  readonly target: Expr;
  readonly args: readonly Expr[];
  /** Position of the opening parenthesis: errors about an expanded macro point there. */
  readonly offset: number;
  readonly nextId: NextId;
}

const variableName = (expr: Expr | undefined, message: string, offset: number): string => {
  if (expr?.kind !== 'ident') {
    throw new CelSyntaxError([{ offset: expr?.offset ?? offset, message }]);
  }
  if (expr.name === '__result__' || expr.name === '@result') {
    throw new CelSyntaxError([{ offset: expr.offset, message: 'iteration variable overwrites accumulator variable' }]);
  }
  return expr.name;
};

const oneVariable = (macro: ComprehensionKind, call: MacroCall, message: string, withCondition: boolean): Expr => {
  const [variable, first, second] = call.args;
  const filtered = second !== undefined;
  return {
    kind: 'comprehension',
    id: call.nextId(),
    offset: call.offset,
    macro,
    range: call.target,
    iterVar: variableName(variable, message, call.offset),
    iterVar2: undefined,
    condition: withCondition || filtered ? first : undefined,
    result: withCondition ? undefined : filtered ? second : first,
  };
};

const twoVariables = (macro: ComprehensionKind, call: MacroCall, withCondition: boolean): Expr => {
  const [variable, variable2, first, second] = call.args;
  const iterVar = variableName(variable, 'argument must be a simple name', call.offset);
  const iterVar2 = variableName(variable2, 'argument must be a simple name', call.offset);
  if (iterVar === iterVar2) {
    throw new CelSyntaxError([
      { offset: variable2?.offset ?? call.offset, message: `duplicate variable name: ${iterVar}` },
    ]);
  }
  const filtered = second !== undefined;
  return {
    kind: 'comprehension',
    id: call.nextId(),
    offset: call.offset,
    macro,
    range: call.target,
    iterVar,
    iterVar2,
    condition: withCondition || filtered ? first : undefined,
    result: withCondition ? undefined : filtered ? second : first,
  };
};

const callOf = (call: MacroCall, name: string, target: Expr | undefined, args: readonly Expr[]): Expr => ({
  kind: 'call',
  id: call.nextId(),
  offset: call.offset,
  target,
  name,
  args,
});

/** `target.optMap(x, e)`: an optional of `e`, with `x` bound to the target's value, or none. */
const optionalMap = (call: MacroCall, flat: boolean): Expr => {
  const [variable, body] = call.args;
  const name = variableName(
    variable,
    `${flat ? 'optFlatMap' : 'optMap'}() variable name must be a simple identifier`,
    call.offset,
  );
  const bind: Expr = {
    kind: 'bind',
    id: call.nextId(),
    offset: call.offset,
    name,
    value: callOf(call, 'value', call.target, []),
    body: body ?? call.target,
  };
  const some = flat ? bind : callOf(call, 'optional.of', undefined, [bind]);
  return callOf(call, '_?_:_', undefined, [
    callOf(call, 'hasValue', call.target, []),
    some,
    callOf(call, 'optional.none', undefined, []),
  ]);
};

const sortByInput = '@__sortBy_input__';

/** `target.sortBy(x, key)`: the list sorted by the keys. */
const sortBy = (call: MacroCall): Expr => {
  if (call.target.kind === 'literal' || call.target.kind === 'map' || call.target.kind === 'struct') {
    throw new CelSyntaxError([
      {
        offset: call.target.offset,
        message: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      },
    ]);
  }
  const input = (): Expr => ({ kind: 'ident', id: call.nextId(), offset: call.offset, name: sortByInput });
  const keys = oneVariable('map', { ...call, target: input() }, 'argument is not an identifier', false);
  return {
    kind: 'bind',
    id: call.nextId(),
    offset: call.offset,
    name: sortByInput,
    value: call.target,
    body: callOf(call, '@sortByAssociatedKeys', input(), [keys]),
  };
};

type Expand = (call: MacroCall) => Expr;

const simpleName = 'argument must be a simple name';
const notIdentifier = 'argument is not an identifier';

/** By name and number of arguments, as in kube-apiserver's environment (`apiserver/pkg/cel/environment/base.go`). */
const macros: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all/2', (call) => oneVariable('all', call, simpleName, true)],
  ['exists/2', (call) => oneVariable('exists', call, simpleName, true)],
  ['exists_one/2', (call) => oneVariable('existsOne', call, simpleName, true)],
  ['existsOne/2', (call) => oneVariable('existsOne', call, simpleName, true)],
  ['map/2', (call) => oneVariable('map', call, notIdentifier, false)],
  ['map/3', (call) => oneVariable('map', call, notIdentifier, false)],
  ['filter/2', (call) => oneVariable('filter', call, notIdentifier, true)],
  ['all/3', (call) => twoVariables('all', call, true)],
  ['exists/3', (call) => twoVariables('exists', call, true)],
  ['exists_one/3', (call) => twoVariables('existsOne', call, true)],
  ['existsOne/3', (call) => twoVariables('existsOne', call, true)],
  ['transformList/3', (call) => twoVariables('map', call, false)],
  ['transformList/4', (call) => twoVariables('map', call, false)],
  ['transformMap/3', (call) => twoVariables('transformMap', call, false)],
  ['transformMap/4', (call) => twoVariables('transformMap', call, false)],
  ['transformMapEntry/3', (call) => twoVariables('transformMapEntry', call, false)],
  ['transformMapEntry/4', (call) => twoVariables('transformMapEntry', call, false)],
  ['optMap/2', (call) => optionalMap(call, false)],
  ['optFlatMap/2', (call) => optionalMap(call, true)],
  ['sortBy/2', sortBy],
]);

/** Expands a method call if it is a macro. */
export const expandMacro = (
  name: string,
  target: Expr,
  args: readonly Expr[],
  offset: number,
  nextId: NextId,
): Expr | undefined => macros.get(`${name}/${args.length}`)?.({ target, args, offset, nextId });

/** `has(a.b)`. */
export const expandHas = (argument: Expr, offset: number, nextId: NextId): Expr => {
  if (argument.kind !== 'select' || argument.mode !== 'plain') {
    throw new CelSyntaxError([{ offset: argument.offset, message: 'invalid argument to has() macro' }]);
  }
  return { ...argument, id: nextId(), offset, mode: 'test' };
};
