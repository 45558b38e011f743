import { type JsonValue, canonical, equal } from '@hawser/json';
import { goFloat } from './go-text.js';
import { toInt64 } from './number-kind.js';
import { type ValueKind, kindOf } from './value-kind.js';
import type { Walk } from './walk.js';

/** Whether a value is in a schema's enum. `null` never is, even if listed. */
export class EnumCheck {
  readonly #values: readonly JsonValue[];
  readonly #strings: ReadonlySet<JsonValue>;

  constructor(values: readonly JsonValue[]) {
    this.#values = values;
    this.#strings = new Set(values.filter((value) => typeof value === 'string'));
  }

  validate(value: JsonValue, kind: ValueKind, walk: Walk): void {
    if (this.#values.length === 0 || this.#includes(value, kind)) return;
    const name = walk.path;
    const supported = this.#values.map((allowed) => (typeof allowed === 'string' ? allowed : canonical(allowed)));
    walk.add({
      kind: 'enum',
      name,
      value,
      supported,
      message: `${name} in body should be one of [${this.#values.map(goValue).join(' ')}]`,
    });
  }

  #includes(value: JsonValue, kind: ValueKind): boolean {
    switch (kind) {
      case 'null':
        return false;
      case 'string':
        return this.#strings.has(value);
      case 'int':
      case 'float':
        return this.#values.some((allowed) => equalsConverted(value as number | bigint, kind, allowed));
      case 'boolean':
      case 'array':
      case 'object':
        return this.#values.some((allowed) => equal(value, allowed));
    }
  }
}

/**
 * kube-openapi converts a number to the listed value's type as Go does: `1.5` to the integer 1, and an integer to the
 * character with that code.
 */
function equalsConverted(value: number | bigint, kind: 'int' | 'float', allowed: JsonValue): boolean {
  switch (kindOf(allowed)) {
    case 'int':
      return toInt64(value) === toInt64(allowed as number | bigint);
    case 'float':
      return Number(value) === Number(allowed);
    case 'string':
      return kind === 'int' && charOf(value) === allowed;
    case 'null':
    case 'boolean':
    case 'array':
    case 'object':
      return false;
  }
}

function charOf(code: number | bigint): string {
  return code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    ? String.fromCodePoint(Number(code))
    : '\ufffd';
}

/** Go's `%v`: only the message depends on it, so lists and objects may have any unambiguous form. */
function goValue(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return kindOf(value) === 'float' ? goFloat(Number(value)) : canonical(value);
}
