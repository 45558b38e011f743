import type { JsonValue } from '@hawser/json';

/** gjson's kinds of values; `json` is an array or an object. */
export type NodeKind = 'null' | 'false' | 'number' | 'string' | 'true' | 'json';

/** A key and what it holds. */
export interface Entry {
  readonly key: string;
  /** The key as JSON. */
  readonly rawKey: string;
  readonly node: Node;
}

/** A value for path lookups: part of a document, or created by the path. */
export interface Node {
  readonly kind: NodeKind;
  /** The JSON text. */
  readonly raw: string;
  /** The content of a string, empty for anything else. */
  readonly text: string;
  /** A number as a double; zero for anything else. */
  readonly number: number;
  readonly value: JsonValue;
  /** The elements of an array; missing for anything else. */
  readonly items: readonly Node[] | undefined;
  /** The keys of an object in the order of its text; missing for anything else. */
  readonly entries: readonly Entry[] | undefined;
  /** The value under a key of an object. */
  readonly lookup: (key: string) => readonly Node[];
}
