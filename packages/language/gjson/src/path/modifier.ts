import { canonical } from '@hawser/json';
import { parseBoolean } from '../go-number.js';
import { listNode, objectNode, scalarNode } from '../node/made-node.js';
import type { Entry, Node } from '../node/node.js';
import { readText } from '../node/read-text.js';
import { endOfBalanced } from './balanced.js';
import { compact, pretty } from './layout.js';
import { type ModifierName, isModifierName } from './modifier-name.js';
import type { Step } from './step.js';

/** Looks up a path in a value. */
export type LookupIn = (node: Node, path: string) => Node | undefined;

/** Applies `@name` or `@name:argument` to a value, which may be missing. Undefined for an unknown modifier. */
export function modifier(from: Node | undefined, path: string, lookup: LookupIn): Step | undefined {
  const name = /^@([^.|:]*)/u.exec(path)?.[1] ?? '';
  if (!isModifierName(name)) return undefined;
  const behindName = path.slice(name.length + 1);
  if (!behindName.startsWith(':')) return { node: modify(from, name, '', lookup), rest: behindName };
  const end = endOfArgument(behindName);
  return { node: modify(from, name, behindName.slice(1, end), lookup), rest: behindName.slice(end) };
}

/** An argument is one JSON value, or everything up to the next `|`. */
function endOfArgument(text: string): number {
  if (/^:[{["]/u.test(text)) return endOfBalanced(text, 1);
  let index = 1;
  while (index < text.length && text[index] !== '|')
    index = /[{["(]/u.test(text.charAt(index)) ? endOfBalanced(text, index) : index + 1;
  return index;
}

function modify(from: Node | undefined, name: ModifierName, argument: string, lookup: LookupIn): Node | undefined {
  switch (name) {
    case 'this':
      return from;
    case 'valid':
      return from;
    case 'pretty':
      return from === undefined ? undefined : readText(pretty(from, optionsOf(argument)));
    case 'ugly':
      return from === undefined ? undefined : readText(compact(from));
    case 'reverse':
      return reverse(from);
    case 'flatten':
      return from?.items === undefined ? from : listNode(flatten(from.items, isOn(argument, 'deep')));
    case 'join':
      return from?.items === undefined ? from : join(from.items, isOn(argument, 'preserve'));
    case 'keys':
      return listNode(keysOf(from));
    case 'values':
      return from?.items === undefined
        ? listNode(from?.entries?.map(({ node }) => node) ?? (from === undefined ? [] : [from]))
        : from;
    case 'tostr':
      return scalarNode('string', canonical(from?.raw ?? ''));
    case 'fromstr':
      return from === undefined ? undefined : readText(from.kind === 'string' ? from.text : from.raw);
    case 'group':
      return from?.entries === undefined ? undefined : group(from.entries);
    case 'dig':
      return listNode(from === undefined ? [] : dig(from, argument, lookup));
  }
}

function optionsOf(argument: string): ReadonlyMap<string, Node> {
  return new Map(readText(argument)?.entries?.map(({ key, node }) => [key, node]));
}

function isOn(argument: string, option: string): boolean {
  const node = optionsOf(argument).get(option);
  return node !== undefined && (node.kind === 'true' || node.number !== 0 || parseBoolean(node.text) === true);
}

function reverse(from: Node | undefined): Node | undefined {
  if (from?.items !== undefined) return listNode(from.items.toReversed());
  return from?.entries === undefined ? from : objectNode(from.entries.toReversed());
}

const flatten = (items: readonly Node[], deep: boolean): readonly Node[] =>
  items.flatMap((item) => {
    if (item.items === undefined) return [item];
    return deep ? flatten(item.items, deep) : item.items;
  });

function join(items: readonly Node[], preserve: boolean): Node {
  const entries = items.flatMap((item) => item.entries ?? []);
  if (preserve) return objectNode(entries);
  const last = new Map<string, Entry>();
  for (const entry of entries) last.set(entry.key, { ...entry, rawKey: last.get(entry.key)?.rawKey ?? entry.rawKey });
  return objectNode([...last.values()]);
}

function keysOf(from: Node | undefined): readonly Node[] {
  if (from?.entries !== undefined) return from.entries.map(({ rawKey }) => scalarNode('string', rawKey));
  const count = from?.items?.length ?? (from === undefined ? 0 : 1);
  return Array.from({ length: count }, () => scalarNode('null', 'null'));
}

/** Turns an object of lists into a list of objects. */
function group(entries: readonly Entry[]): Node {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    entry.node.items?.forEach((node, index) => {
      (groups[index] ??= []).push({ ...entry, node });
    });
  }
  return listNode(groups.map((members) => objectNode(members)));
}

/** The path's results in a value and everything below it. */
function dig(from: Node, path: string, lookup: LookupIn): readonly Node[] {
  const found = lookup(from, path);
  const below = from.items ?? from.entries?.map(({ node }) => node) ?? [];
  return [...(found === undefined ? [] : [found]), ...below.flatMap((node) => dig(node, path, lookup))];
}
