import { isObject, type JsonObject, type JsonValue, stringify } from '@hawser/json';
import type { Headers } from './server.js';

/** An answer, for assertions of cases. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    /** Parsed if it is JSON, otherwise the text. */
    readonly body: JsonValue,
  ) {}

  /** The value along `keys`, or undefined. */
  at(...keys: readonly (string | number)[]): JsonValue | undefined {
    return dig(this.body, keys);
  }

  /** {@link at} for an expected string. */
  text(...keys: readonly (string | number)[]): string {
    const value = this.at(...keys);
    if (typeof value !== 'string') throw new Error(`${keys.join('.')} is no string in the answer ${this.status}`);
    return value;
  }

  get object(): JsonObject {
    if (!isObject(this.body)) throw new Error(`the answer ${this.status} is no object`);
    return this.body;
  }

  get items(): readonly JsonObject[] {
    const items = this.at('items');
    if (!Array.isArray(items)) throw new Error(`the answer ${this.status} has no items`);
    return items.filter(isObject);
  }

  /** Names of {@link items}. */
  get names(): readonly string[] {
    return this.items.map((item) => textOf(dig(item, ['metadata', 'name'])));
  }

  get name(): string {
    return this.text('metadata', 'name');
  }

  get uid(): string {
    return this.text('metadata', 'uid');
  }

  get resourceVersion(): string {
    return this.text('metadata', 'resourceVersion');
  }
}

export function dig(value: JsonValue | undefined, keys: readonly (string | number)[]): JsonValue | undefined {
  let found = value;
  for (const key of keys) {
    if (Array.isArray(found) && typeof key === 'number') found = (found as readonly JsonValue[])[key];
    else if (isObject(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

/** A string unchanged, undefined as the empty string, anything else as JSON. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : stringify(value);
}
