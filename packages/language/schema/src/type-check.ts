import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from './json-schema-props.js';
import { isNearlyInteger } from './number-kind.js';
import type { ValueKind } from './value-kind.js';
import type { Walk } from './walk.js';

/** JSON type of a kind, and the format that kube-openapi assumes for a number of it. */
const TYPES: Readonly<Record<Exclude<ValueKind, 'null'>, readonly [type: string, format: string]>> = {
  boolean: ['boolean', ''],
  string: ['string', ''],
  int: ['integer', 'int64'],
  float: ['number', 'float64'],
  array: ['array', ''],
  object: ['object', ''],
};

/** Whether a value has the type that a schema requires. */
export class TypeCheck {
  readonly #types: readonly string[];
  readonly #nullable: boolean;
  readonly #format: string;

  /** `format`: empty if the API server does not know it for the type. */
  constructor(schema: JsonSchemaProps, format: string) {
    if (schema['x-kubernetes-int-or-string'] === true) this.#types = ['integer', 'string'];
    else this.#types = schema.type === undefined || schema.type === '' ? [] : [schema.type];
    this.#nullable = schema.nullable ?? false;
    this.#format = format;
  }

  get applies(): boolean {
    return this.#types.length > 0 || this.#format !== '';
  }

  validate(value: JsonValue, kind: ValueKind, walk: Walk): void {
    const wrong = this.#wrong(value, kind);
    if (wrong === undefined) {
      walk.findings.matches++;
      return;
    }
    const name = walk.path;
    walk.add({
      kind: 'type',
      name,
      value: wrong.actual,
      message: `${name} in body must be of type ${wrong.expected}: "${wrong.actual}"`,
    });
  }

  #wrong(value: JsonValue, kind: ValueKind): { readonly expected: string; readonly actual: string } | undefined {
    const types = this.#types;
    if (kind === 'null') {
      return types.length > 0 && !types.includes('null') && !this.#nullable
        ? { expected: types.join(','), actual: 'null' }
        : undefined;
    }
    const [type, format] = TYPES[kind];
    const fits =
      types.includes(type) ||
      (kind === 'float' && types.includes('integer') && isNearlyInteger(Number(value))) ||
      (kind === 'int' && types.includes('number'));
    if (fits) return undefined;
    // Strings and lists pass any format of a type that is not a number: another check covers the format, and the type
    // is not checked at all.
    const carriesFormat = kind === 'string' || kind === 'array';
    if (this.#format !== '' && !carriesFormat && format !== this.#format)
      return { expected: this.#format, actual: format };
    if (this.#format !== '' && carriesFormat && !types.includes('number') && !types.includes('integer'))
      return undefined;
    return { expected: types.join(','), actual: type };
  }
}
