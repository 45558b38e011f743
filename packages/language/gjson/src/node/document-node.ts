import { canonical, isObject, type JsonValue } from '@hawser/json';
import { compareText } from './compare.js';
import type { Entry, Node, NodeKind } from './node.js';

/** Keys and indexes from a document to a value in it. */
export type Location = readonly (string | number)[];

/** A value of a document; its text is that of Go's `encoding/json`: keys sorted, `<`, `>` and `&` escaped. */
export class DocumentNode implements Node {
  readonly text: string;
  readonly number: number;
  readonly kind: NodeKind;
  #raw: string | undefined;
  #items: readonly Node[] | undefined;
  #entries: readonly Entry[] | undefined;

  constructor(
    readonly value: JsonValue,
    readonly parent?: { readonly node: DocumentNode; readonly key: string | number },
  ) {
    this.kind = kindOf(value);
    this.text = typeof value === 'string' ? value : '';
    this.number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
  }

  /** Its place; empty for the whole document. */
  get location(): Location {
    return this.parent === undefined ? [] : [...this.parent.node.location, this.parent.key];
  }

  get raw(): string {
    return (this.#raw ??= canonical(this.value));
  }

  get items(): readonly Node[] | undefined {
    if (!isArray(this.value)) return undefined;
    return (this.#items ??= this.value.map((item, key) => new DocumentNode(item, { node: this, key })));
  }

  get entries(): readonly Entry[] | undefined {
    if (!isObject(this.value)) return undefined;
    const object = this.value;
    return (this.#entries ??= Object.keys(object)
      .toSorted(compareText)
      .flatMap((key) => this.lookup(key).map((node) => ({ key, rawKey: canonical(key), node }))));
  }

  readonly lookup = (key: string): readonly Node[] => {
    if (!isObject(this.value) || !Object.hasOwn(this.value, key)) return [];
    const value = this.value[key];
    return value === undefined ? [] : [new DocumentNode(value, { node: this, key })];
  };
}

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
function kindOf(value: JsonValue): NodeKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'object' ? 'json' : 'number';
}
