import {
  isTemplateFunction,
  type FunctionMap,
  type ParameterType,
  type TemplateFunction,
} from '../template-function.js';
import { TemplateError, type TemplateErrorCode } from '../template-error.js';
import { actionText, sortedKeys } from '../fmt/print.js';
import type { BranchNode, CommandNode, Node, Operand, PipeNode, TemplateNode } from '../syntax/node.js';
import { describeNode } from '../syntax/node.js';
import { positionOf, type TemplateSet } from '../syntax/template-set.js';
import { GoNumber, int, numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import { getKey, isList, isMap, isTrue, typeName } from '../values/types.js';
import { assign, canBeNil, constant, expectation, numberArgument } from './assignable.js';
import { type Budget, BudgetExceeded } from './budget.js';
import { Variables } from './variables.js';

/** Nesting of template calls. Go allows far more, with a growing stack. */
const maxDepth = 100;

/** No value was piped into a command; nil is a value. */
const nothing = Symbol('nothing');

type Piped = GoValue | typeof nothing;

/** How a node ended. */
type Flow = 'next' | 'break' | 'continue';

export interface ExecutionOptions {
  readonly set: TemplateSet;
  readonly functions: FunctionMap;
  readonly budget: Budget;
  /** Limit of output characters. */
  readonly maxOutput: number;
  /** Text that an action writes for a value. */
  readonly write: (value: GoValue, pipe: PipeNode, budget: Budget) => string;
  /** Literal text. */
  readonly text: (text: string) => string;
}

/** Runs a template once. Throws a {@link TemplateError}. */
export function execute(options: ExecutionOptions, data: GoValue): string {
  return new Execution(options).run(data);
}

export function writePlain(value: GoValue, _pipe: PipeNode, budget: Budget): string {
  return actionText(value, budget);
}

class Execution {
  readonly #options: ExecutionOptions;
  readonly #context: { readonly budget: Budget };
  #output = '';
  #variables = new Variables(undefined);
  #template: string;
  #node: Node | Operand | CommandNode | undefined;
  #depth = 0;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#context = { budget: options.budget };
    this.#template = options.set.name;
  }

  run(data: GoValue): string {
    this.#variables = new Variables(data);
    try {
      this.#walkList(this.#options.set.root, data);
    } catch (error) {
      // Only this package's limits prevent a stack overflow; if one is too generous, the template is still at fault.
      if (error instanceof RangeError) this.#fail('the values are too large, or too deep inside each other', 'limit');
      if (error instanceof BudgetExceeded) this.#fail(error.message, 'limit');
      throw error;
    }
    return this.#output;
  }

  #walkList(list: readonly Node[], dot: GoValue): Flow {
    for (const node of list) {
      const flow = this.#walk(node, dot);
      if (flow !== 'next') return flow;
    }
    return 'next';
  }

  #walk(node: Node, dot: GoValue): Flow {
    this.#at(node);
    this.#options.budget.step();
    switch (node.kind) {
      case 'text':
        this.#emit(this.#options.text(node.text));
        return 'next';
      case 'action': {
        const value = this.#pipeline(node.pipe, dot);
        if (node.pipe.variables.length === 0) {
          this.#at(node);
          this.#emit(this.#options.write(value, node.pipe, this.#options.budget));
        }
        return 'next';
      }
      case 'if':
      case 'with':
        return this.#branch(node, dot);
      case 'range':
        return this.#range(node, dot);
      case 'template':
        this.#call(node, dot);
        return 'next';
      case 'break':
      case 'continue':
        return node.kind;
    }
  }

  #branch(node: BranchNode, dot: GoValue): Flow {
    const mark = this.#variables.mark();
    const value = this.#pipeline(node.pipe, dot);
    let flow: Flow = 'next';
    if (isTrue(value)) flow = this.#walkList(node.list, node.kind === 'with' ? value : dot);
    else if (node.elseList !== undefined) flow = this.#walkList(node.elseList, dot);
    this.#variables.release(mark);
    return flow;
  }

  #range(node: BranchNode, dot: GoValue): Flow {
    const mark = this.#variables.mark();
    const value = this.#pipeline(node.pipe, dot);
    const { variables, assigns } = node.pipe;
    const inner = this.#variables.mark();
    const iteration = (key: GoValue, element: GoValue): boolean => {
      this.#options.budget.step();
      const [first, second] = variables;
      if (first !== undefined && second !== undefined) {
        this.#set(first, key, assigns, inner - 2);
        this.#set(second, element, assigns, inner - 1);
      } else if (first !== undefined) this.#set(first, element, assigns, inner - 1);
      const flow = this.#walkList(node.list, element);
      this.#variables.release(inner);
      return flow !== 'break';
    };
    const ran = this.#iterate(node, value, iteration);
    let flow: Flow = 'next';
    if (!ran && node.elseList !== undefined) flow = this.#walkList(node.elseList, dot);
    this.#variables.release(mark);
    return flow;
  }

  /** Returns whether there was anything to iterate over; `iteration` returns whether to continue. */
  #iterate(node: BranchNode, value: GoValue, iteration: (key: GoValue, element: GoValue) => boolean): boolean {
    if (value === undefined || value === null) return false;
    const number = numberView(value);
    if (number !== undefined && number.kind !== 'float') {
      if (node.pipe.variables.length > 1) this.#fail('cannot use an integer to iterate over more than one variable');
      for (let index = 0n; index < number.value; index++)
        if (!iteration(undefined, new GoNumber(number.type, index))) break;
      return number.value > 0n;
    }
    if (isList(value)) {
      for (const [index, element] of value.entries()) if (!iteration(int(index), element)) break;
      return value.length > 0;
    }
    if (!isMap(value)) this.#fail(`range can't iterate over a value of type ${typeName(value)}`);
    const keys = sortedKeys(value);
    for (const key of keys) if (!iteration(key, value[key])) break;
    return keys.length > 0;
  }

  #set(name: string, value: GoValue, assigns: boolean, mark: number): void {
    if (assigns) this.#assign(name, value);
    else this.#variables.replace(mark, value);
  }

  #assign(name: string, value: GoValue): void {
    if (!this.#variables.assign(name, value)) this.#fail(`undefined variable: ${name}`);
  }

  #call(node: TemplateNode, dot: GoValue): void {
    const list = this.#options.set.definitions.get(node.name);
    if (list === undefined) this.#fail(`template ${JSON.stringify(node.name)} not defined`);
    if (this.#depth >= maxDepth) this.#fail(`more than ${maxDepth} templates inside each other`, 'limit');
    const value = node.pipe === undefined ? undefined : this.#pipeline(node.pipe, dot);
    const [variables, template] = [this.#variables, this.#template];
    this.#variables = new Variables(value);
    this.#template = node.name;
    this.#depth++;
    this.#walkList(list, value);
    this.#depth--;
    this.#variables = variables;
    this.#template = template;
  }

  #pipeline(pipe: PipeNode, dot: GoValue): GoValue {
    this.#at(pipe);
    let value: Piped = nothing;
    // A nil interface counts as no value from here on.
    for (const command of pipe.commands) value = this.#command(command, dot, value) ?? undefined;
    const result = value === nothing ? undefined : value;
    for (const name of pipe.variables) {
      if (pipe.assigns) this.#assign(name, result);
      else this.#variables.declare(name, result);
    }
    return result;
  }

  #command(command: CommandNode, dot: GoValue, piped: Piped): GoValue {
    this.#options.budget.step();
    const [first] = command.operands;
    const args = command.operands.slice(1);
    this.#at(first);
    switch (first.kind) {
      case 'field':
        return this.#fields(first, dot, first.fields, dot, args, piped);
      case 'chain':
        return this.#fields(first, this.#chained(first, dot), first.fields, dot, args, piped);
      case 'identifier':
        return this.#function(first.name, command, dot, args, piped);
      case 'variable':
        if (first.fields.length === 0) this.#noArguments(first, args, piped);
        return this.#fields(first, this.#variables.get(first.name), first.fields, dot, args, piped);
      case 'pipe':
        this.#noArguments(first, args, piped);
        return this.#pipeline(first, dot);
      case 'nil':
        return this.#fail('nil is not a command');
      case 'bool':
      case 'dot':
      case 'number':
      case 'string':
        this.#noArguments(first, args, piped);
        return this.#literal(first, dot);
    }
  }

  #noArguments(operand: Operand, args: readonly Operand[], piped: Piped): void {
    if (args.length > 0 || piped !== nothing)
      this.#fail(`can't give argument to non-function ${describeNode(operand)}`);
  }

  #chained(chain: Operand & { readonly kind: 'chain' }, dot: GoValue): GoValue {
    if (chain.operand.kind === 'nil') this.#fail(`indirection through explicit nil in ${describeNode(chain)}`);
    return this.#value(chain.operand, dot);
  }

  /** An operand used as a value, without arguments. */
  #value(operand: Operand, dot: GoValue): GoValue {
    this.#options.budget.step();
    this.#at(operand);
    switch (operand.kind) {
      case 'field':
        return this.#fields(operand, dot, operand.fields, dot, [], nothing);
      case 'variable':
        return this.#fields(operand, this.#variables.get(operand.name), operand.fields, dot, [], nothing);
      case 'chain':
        return this.#fields(operand, this.#chained(operand, dot), operand.fields, dot, [], nothing);
      case 'identifier':
        return this.#function(operand.name, operand, dot, [], nothing);
      case 'pipe':
        return this.#pipeline(operand, dot);
      case 'nil':
        return undefined;
      case 'bool':
      case 'dot':
      case 'number':
      case 'string':
        return this.#literal(operand, dot);
    }
  }

  #literal(operand: Operand & { readonly kind: 'bool' | 'dot' | 'number' | 'string' }, dot: GoValue): GoValue {
    switch (operand.kind) {
      case 'bool':
        return operand.value;
      case 'dot':
        return dot;
      case 'number':
        return this.#try(() => constant(operand));
      case 'string':
        return operand.text;
    }
  }

  #fields(
    node: Operand,
    receiver: GoValue,
    fields: readonly string[],
    dot: GoValue,
    args: readonly Operand[],
    piped: Piped,
  ): GoValue {
    let value = receiver;
    fields.forEach((field, index) => {
      const last = index === fields.length - 1;
      value = this.#field(value, field, node, dot, last ? args : [], last ? piped : nothing);
    });
    return value;
  }

  #field(
    receiver: GoValue,
    name: string,
    node: Operand,
    dot: GoValue,
    args: readonly Operand[],
    piped: Piped,
  ): GoValue {
    if (receiver === undefined) return undefined;
    if (receiver === null) return this.#fail(`nil pointer evaluating interface {}.${name}`);
    if (receiver instanceof GoObject) {
      const method = Object.hasOwn(receiver.methods, name) ? receiver.methods[name] : undefined;
      if (method !== undefined) return this.#invoke(name, method, node, dot, args, piped);
      if (Object.hasOwn(receiver.fields, name)) {
        if (args.length > 0 || piped !== nothing) this.#fail(`${name} has arguments but cannot be invoked as function`);
        return receiver.fields[name];
      }
    } else if (isMap(receiver)) {
      if (args.length > 0 || piped !== nothing) this.#fail(`${name} is not a method but has arguments`);
      return getKey(receiver, name);
    }
    return this.#fail(`can't evaluate field ${name} in type ${typeName(receiver)}`);
  }

  #function(name: string, node: Operand | CommandNode, dot: GoValue, args: readonly Operand[], piped: Piped): GoValue {
    const known = Object.hasOwn(this.#options.functions, name) ? this.#options.functions[name] : undefined;
    if (known === undefined || !isTemplateFunction(known))
      return this.#fail(`${JSON.stringify(name)} is not a defined function`);
    if (known.shortCircuit !== undefined) return this.#shortCircuit(name, known.shortCircuit, dot, args, piped);
    return this.#invoke(name, known, node, dot, args, piped);
  }

  /** `and` and `or` evaluate no more than needed. */
  #shortCircuit(name: string, until: boolean, dot: GoValue, args: readonly Operand[], piped: Piped): GoValue {
    if (args.length === 0 && piped === nothing) this.#fail(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: GoValue;
    for (const arg of args) {
      value = this.#argument(arg, 'any', dot);
      if (isTrue(value) === until) return value;
    }
    return piped === nothing ? value : piped;
  }

  #invoke(
    name: string,
    called: TemplateFunction,
    node: Operand | CommandNode,
    dot: GoValue,
    args: readonly Operand[],
    piped: Piped,
  ): GoValue {
    const { parameters, variadic } = called;
    const count = args.length + (piped === nothing ? 0 : 1);
    if (variadic === undefined && count !== parameters.length)
      this.#fail(`wrong number of args for ${name}: want ${parameters.length} got ${count}`);
    if (count < parameters.length)
      this.#fail(`wrong number of args for ${name}: want at least ${parameters.length} got ${args.length}`);
    const typeAt = (index: number): ParameterType => parameters[index] ?? variadic ?? 'any';
    const values = args.map((arg, index) => this.#argument(arg, typeAt(index), dot));
    if (piped !== nothing) values.push(this.#try(() => assign(piped, typeAt(args.length))));
    for (const value of values) if (typeof value === 'string') this.#options.budget.charge(value.length / 4);
    try {
      return this.#charged(called.call(values, this.#context));
    } catch (error) {
      if (error instanceof TemplateError || error instanceof BudgetExceeded || error instanceof RangeError) throw error;
      this.#at(node);
      return this.#fail(`error calling ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #charged(value: GoValue): GoValue {
    if (typeof value === 'string') this.#options.budget.charge(value.length);
    else if (isList(value)) this.#options.budget.charge(value.length);
    return value;
  }

  #argument(operand: Operand, type: ParameterType, dot: GoValue): GoValue {
    this.#at(operand);
    switch (operand.kind) {
      case 'nil':
        if (!canBeNil(type)) this.#fail(`cannot assign nil to ${type}`);
        return this.#try(() => assign(undefined, type));
      case 'bool':
        if (type !== 'any' && type !== 'bool')
          this.#fail(`expected ${expectation(type)}; found ${describeNode(operand)}`);
        return operand.value;
      case 'string':
        if (type !== 'any' && type !== 'string')
          this.#fail(`expected ${expectation(type)}; found ${describeNode(operand)}`);
        return operand.text;
      case 'number':
        if (type === 'any') return this.#literal(operand, dot);
        return (
          numberArgument(operand, type) ?? this.#fail(`expected ${expectation(type)}; found ${describeNode(operand)}`)
        );
      case 'dot':
      case 'field':
      case 'variable':
      case 'chain':
      case 'identifier':
      case 'pipe': {
        const value = this.#value(operand, dot);
        return this.#try(() => assign(value, type));
      }
    }
  }

  #emit(text: string): void {
    if (this.#output.length + text.length > this.#options.maxOutput)
      this.#fail(`more than ${this.#options.maxOutput} characters of output`, 'limit');
    this.#output += text;
  }

  #at(node: Node | Operand | CommandNode): void {
    this.#node = node;
  }

  #try<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      if (error instanceof TemplateError || error instanceof BudgetExceeded || error instanceof RangeError) throw error;
      return this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #fail(detail: string, code: TemplateErrorCode = 'execution'): never {
    const node = this.#node;
    const { text, name } = this.#options.set;
    const described = node === undefined ? '' : describeNode(node);
    const context = `executing ${JSON.stringify(this.#template)} at <${described.length > 20 ? `${described.slice(0, 20)}...` : described}>`;
    throw new TemplateError(code, { template: name, ...positionOf(text, node?.position ?? 0) }, detail, context);
  }
}
