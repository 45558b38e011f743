import { type JsonValue, parse } from '@hawser/json';
import type { Entry, Node, NodeKind } from './node.js';

const nothing = (): readonly Node[] => [];

/** A scalar from its JSON text. */
export function scalarNode(kind: Exclude<NodeKind, 'json'>, raw: string): Node {
  let value: JsonValue | undefined;
  return {
    kind,
    raw,
    text: kind === 'string' ? (parse(raw) as string) : '',
    number: kind === 'number' ? numberOf(raw) : 0,
    // A path can bring in `nan` and `inf`, which are not JSON.
    get value() {
      return (value ??= kind === 'number' && !Number.isFinite(numberOf(raw)) ? null : parse(raw));
    },
    items: undefined,
    entries: undefined,
    lookup: nothing,
  };
}

const numberOf = (raw: string): number => (/^[-+]?inf/iu.test(raw) ? Infinity : Number(raw));

/** An array of nodes; its text is built from the elements unless given. */
export function listNode(items: readonly Node[], text?: string): Node {
  return {
    kind: 'json',
    get raw() {
      return text ?? `[${items.map((item) => item.raw).join(',')}]`;
    },
    text: '',
    number: 0,
    get value() {
      return items.map((item) => item.value);
    },
    items,
    entries: undefined,
    lookup: nothing,
  };
}

/** An object of nodes, keys in the given order, duplicates allowed; its text is built from the entries unless given. */
export function objectNode(entries: readonly Entry[], text?: string): Node {
  return {
    kind: 'json',
    get raw() {
      return text ?? `{${entries.map(({ rawKey, node }) => `${rawKey}:${node.raw}`).join(',')}}`;
    },
    text: '',
    number: 0,
    get value() {
      return Object.fromEntries(entries.map(({ key, node }) => [key, node.value]));
    },
    items: undefined,
    entries,
    lookup: (wanted) => entries.filter(({ key }) => key === wanted).map(({ node }) => node),
  };
}
