import type { JsonValue } from '@hawser/json';

/** What stands in a document, as gjson tells it apart; `json` is an array or an object. */
export type NodeKind = 'null' | 'false' | 'number' | 'string' | 'true' | 'json';

/** A key and what it holds. */
export interface Entry {
  readonly key: string;
  /** The key as JSON. */
  readonly rawKey: string;
  readonly node: Node;
}

/** A value that a path is looked up in: part of a document, or made by the path itself. */
export interface Node {
  readonly kind: NodeKind;
  /** The JSON text. */
  readonly raw: string;
  /** The content of a string, empty for anything else. */
  readonly text: string;
  /** A number as a double, zero for anything else. */
  readonly number: number;
  readonly value: JsonValue;
  /** The elements of an array; missing for anything else. */
  readonly items: readonly Node[] | undefined;
  /** The keys of an object in the order of its text; missing for anything else. */
  readonly entries: readonly Entry[] | undefined;
  /** What an object holds under a key. */
  readonly lookup: (key: string) => readonly Node[];
}
