import { canonical } from '@hawser/json';
import { JsonPathError, type Operand, type Operator, type Part, type Step, parseJsonPath } from './jsonpath-parser.js';

export interface JsonPathOptions {
  /** Print a missing key as nothing. Default true; otherwise it is an error. */
  readonly allowMissingKeys?: boolean | undefined;
}

/**
 * Prints by a template, as `kubectl get -o jsonpath=…` does: blanks between the values of one path, text unquoted, maps
 * and lists as JSON.
 * @throws JsonPathError
 */
export function printJsonPath(template: string, data: unknown, options: JsonPathOptions = {}): string {
  const allowMissing = options.allowMissingKeys ?? true;
  return printed(parseJsonPath(template), data, { root: data, allowMissing });
}

/**
 * The values that a template's paths find, as a list, like `kubectl get -o jsonpath-as-json=…`.
 * @throws JsonPathError
 */
export function findJsonPath(
  template: string,
  data: unknown,
  { allowMissingKeys = true }: JsonPathOptions = {},
): readonly unknown[] {
  const context = { root: data, allowMissing: allowMissingKeys };
  return parseJsonPath(template).flatMap((part) => {
    switch (part.kind) {
      case 'text':
        return [];
      case 'path':
        return evaluate(part.steps, [data], context);
      case 'range':
        throw new JsonPathError('jsonpath-as-json takes no {range}: name the path of the list');
    }
  });
}

interface Context {
  readonly root: unknown;
  readonly allowMissing: boolean;
}

function printed(parts: readonly Part[], data: unknown, context: Context): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'path':
          return evaluate(part.steps, [data], context).map(textOf).join(' ');
        case 'range':
          return evaluate(part.steps, [data], context)
            .map((one) => printed(part.body, one, context))
            .join('');
      }
    })
    .join('');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // Keys are in the order in which Go writes them.
  return value === undefined ? '' : canonical(value);
}

function evaluate(steps: readonly Step[], values: readonly unknown[], context: Context): readonly unknown[] {
  let found = values;
  for (const [index, step] of steps.entries()) {
    // A path below `..` is a search; it need not match.
    const isLookedFor = steps[index - 1]?.kind === 'recursive';
    found = below(step, found, isLookedFor ? { ...context, allowMissing: true } : context);
  }
  return found;
}

function below(step: Step, values: readonly unknown[], context: Context): readonly unknown[] {
  switch (step.kind) {
    case 'root':
      return [context.root];
    case 'field':
      return values.flatMap((value) => fieldOf(value, step.name, context));
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'recursive':
      return values.flatMap((value) => allOf(value));
    case 'index':
      return values.flatMap((value) => itemOf(value, step.at));
    case 'slice':
      return values.flatMap((value) => sliceOf(value, step));
    case 'filter':
      return values.flatMap((value) => childrenOf(value)).filter((item) => holds(step, item, context));
    case 'union':
      return step.steps.flatMap((some) => evaluate(some, values, context));
  }
}

function fieldOf(value: unknown, name: string, { allowMissing }: Context): readonly unknown[] {
  if (isMap(value) && Object.hasOwn(value, name)) return [value[name]];
  if (allowMissing) return [];
  throw new JsonPathError(`${name} is not found`);
}

function itemOf(value: unknown, at: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const index = at < 0 ? value.length + at : at;
  if (index < 0 || index >= value.length)
    throw new JsonPathError(`array index out of bounds: index ${at}, length ${value.length}`);
  return [value[index]];
}

function sliceOf(value: unknown, { from, to, step }: Extract<Step, { kind: 'slice' }>): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return value.slice(from ?? 0, to ?? value.length).filter((_, index) => index % step === 0);
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (!isMap(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

function allOf(value: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const waiting: unknown[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    found.push(one);
    waiting.push(...[...childrenOf(one)].reverse().filter((child) => child !== undefined));
  }
  return found;
}

function holds({ left, comparison }: Extract<Step, { kind: 'filter' }>, item: unknown, context: Context): boolean {
  const lenient = { ...context, allowMissing: true };
  const first = operandOf(left, item, lenient);
  if (comparison === undefined) return first !== undefined;
  const second = operandOf(comparison.right, item, lenient);
  return first !== undefined && second !== undefined && compared(first, comparison.operator, second);
}

function operandOf(operand: Operand, item: unknown, context: Context): unknown {
  if (operand.kind === 'value') return operand.value;
  const found = evaluate(operand.steps, [item], context);
  if (found.length > 1) throw new JsonPathError('a filter compares one value, and its path finds several');
  return found[0];
}

function compared(left: unknown, operator: Operator, right: unknown): boolean {
  const [a, b] = typeof left === typeof right ? [left, right] : [textOf(left), textOf(right)];
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return isLess(a, b);
    case '>':
      return isLess(b, a);
    case '<=':
      return a === b || isLess(a, b);
    case '>=':
      return a === b || isLess(b, a);
  }
}

function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  return typeof a === 'string' && typeof b === 'string' && a < b;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
