import { isObject, type JsonObject, type JsonValue, stringify } from '@hawser/json';
import { entriesOf, isList } from './entries.js';
import {
  type FieldType,
  type ListType,
  type MapType,
  type ScalarType,
  defaultShape,
  shapeOf,
  typeOfKey,
} from './field-type.js';
import { nameOfItem } from './list-items.js';
import { type PathElement, elementText, field, serializeElement } from './path-element.js';

/** A part of a value that its type forbids. */
export interface TypeProblem {
  /** `.spec.list[name="a"]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Why a value does not match a type; empty if it does. `duplicates`: allows several list items of one name. */
export function checkType(
  value: JsonValue,
  type: FieldType,
  options: { readonly duplicates: boolean },
): readonly TypeProblem[] {
  const walk = new CheckWalk(options.duplicates);
  walk.check(value, type);
  return walk.problems;
}

/** The server's form for several problems in one message. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return texts.length === 1 ? texts.join('') : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

class CheckWalk {
  readonly problems: TypeProblem[] = [];
  readonly #duplicates: boolean;
  /** Keys and elements on the way to the value. Formatted only for a message. */
  readonly #path: (string | PathElement)[] = [];

  constructor(duplicates: boolean) {
    this.#duplicates = duplicates;
  }

  check(value: JsonValue, type: FieldType): void {
    const shape = shapeOf(type, value) ?? defaultShape(type);
    if (shape === undefined || value === null) return;
    if (shape === 'scalar' && type.scalar !== undefined) {
      const message = scalarProblem(type.scalar, value);
      if (message !== undefined) this.#problem(message);
    } else if (shape === 'list' && type.list !== undefined) {
      if (isList(value)) this.#checkItems(value, type.list);
      else this.#problem(`expected list, got ${goValue(value)}`);
    } else if (shape === 'map' && type.map !== undefined) {
      if (isObject(value)) this.#checkKeys(value, type.map);
      else this.#problem(`expected map, got ${goValue(value)}`);
    }
  }

  #checkItems(items: readonly JsonValue[], list: ListType): void {
    const seen = new Set<string>();
    for (const [index, value] of items.entries()) {
      let element: PathElement = { kind: 'index', index };
      if (list.relationship === 'associative') {
        const name = nameOfItem(list, value);
        if ('problem' in name) {
          this.#problem(`element ${index}: ${name.problem}`);
          return;
        }
        element = name.element;
        const key = serializeElement(element);
        if (seen.has(key) && !this.#duplicates) this.#problem(`duplicate entries for key ${elementText(element)}`);
        seen.add(key);
      }
      this.#below(element, value, list.items);
    }
  }

  #checkKeys(object: JsonObject, map: MapType): void {
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (value === undefined) continue;
      const type = typeOfKey(map, key);
      if (type === undefined) {
        this.#path.push(key);
        this.#problem('field not declared in schema');
        this.#path.pop();
        return;
      }
      this.#below(key, value, type);
    }
  }

  #below(at: string | PathElement, value: JsonValue, type: FieldType): void {
    this.#path.push(at);
    this.check(value, type);
    this.#path.pop();
  }

  #problem(message: string): void {
    this.problems.push({
      path: this.#path.map((at) => elementText(typeof at === 'string' ? field(at) : at)).join(''),
      message,
    });
  }
}

function scalarProblem(type: ScalarType, value: JsonValue): string | undefined {
  const isScalar = typeof value !== 'object';
  switch (type) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${goSyntax(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goValue(value)}`;
    case 'untyped':
      return isScalar ? undefined : `expected any scalar, got ${goValue(value)}`;
  }
}

function goType(value: JsonValue): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'object') return isList(value) ? '[]interface {}' : 'map[string]interface {}';
  return Number.isInteger(Number(value)) ? 'int64' : 'float64';
}

/** Go's `%v` of the wrapper that structured-merge-diff has around a value. */
function goValue(value: JsonValue): string {
  return `&{${goPlain(value)}}`;
}

function goPlain(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (isList(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (isObject(value))
    return `map[${entriesOf(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, below]) => `${key}:${goPlain(below)}`)
      .join(' ')}]`;
  return value === null ? '<nil>' : String(value);
}

/** Go's `%#v` of the same. */
function goSyntax(value: JsonValue): string {
  return `&value.valueUnstructured{Value:${goLiteral(value)}}`;
}

function goLiteral(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (isList(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (isObject(value))
    return `map[string]interface {}{${entriesOf(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, below]) => `${JSON.stringify(key)}:${goLiteral(below)}`)
      .join(', ')}}`;
  return stringify(value);
}
