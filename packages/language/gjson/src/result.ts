import type { JsonValue } from '@hawser/json';
import { formatNumber } from './go-number.js';
import type { Node, NodeKind } from './node/node.js';
import { evaluate } from './path/evaluate.js';

/** Result of a path. */
export interface Result {
  /** `missing` if the path leads nowhere; `null` is an existing value. `json` is an array or an object. */
  readonly kind: NodeKind | 'missing';
  readonly exists: boolean;
  /**
   * The value as text, like gjson's `Result.String()`: a string unchanged, an integer as written, other numbers without
   * an exponent, arrays and objects as JSON; empty for null and missing values.
   */
  readonly text: string;
  /** The value as JSON, keys sorted and escaped as in Go; empty if missing. */
  readonly raw: string;
  /** The value as in the document, integers exact; undefined if missing. */
  readonly value: JsonValue | undefined;
  /** A number as a double; zero for anything else. */
  readonly number: number;
  /** The elements of an array; undefined for anything else. */
  readonly items: readonly Result[] | undefined;
  /** The members of an object, keys in order; undefined for anything else. */
  readonly entries: readonly (readonly [key: string, value: Result])[] | undefined;
  /** Looks up a path in the result. */
  readonly get: (path: string) => Result;
}

class NodeResult implements Result {
  readonly #node: Node | undefined;

  constructor(node: Node | undefined) {
    this.#node = node;
  }

  get kind(): NodeKind | 'missing' {
    return this.#node?.kind ?? 'missing';
  }

  get exists(): boolean {
    return this.#node !== undefined;
  }

  get text(): string {
    switch (this.#node?.kind) {
      case 'string':
        return this.#node.text;
      case 'number':
        return /^-?[0-9]*$/u.test(this.#node.raw) ? this.#node.raw : formatNumber(this.#node.number);
      case 'true':
      case 'false':
        return this.#node.kind;
      case 'json':
        return this.#node.raw;
      case 'null':
      case undefined:
        return '';
    }
  }

  get raw(): string {
    return this.#node?.raw ?? '';
  }

  get value(): JsonValue | undefined {
    return this.#node?.value;
  }

  get number(): number {
    return this.#node?.number ?? 0;
  }

  get items(): readonly Result[] | undefined {
    return this.#node?.items?.map((item) => new NodeResult(item));
  }

  get entries(): readonly (readonly [string, Result])[] | undefined {
    return this.#node?.entries?.map(({ key, node }) => [key, new NodeResult(node)]);
  }

  readonly get = (path: string): Result => new NodeResult(evaluate(this.#node, path).node);
}

export const resultOf = (node: Node | undefined): Result => new NodeResult(node);
