import { canonical } from '@hawser/json';
import { listNode, objectNode } from '../node/made-node.js';
import type { Entry, Node } from '../node/node.js';
import { readText } from '../node/read-text.js';
import { endOfQuoted } from './balanced.js';
import type { Step } from './step.js';

/** Looks up a path in the common start value. */
export type Lookup = (path: string) => Node | undefined;

interface Selector {
  readonly name: string;
  readonly path: string;
}

/** Several paths at once: `[a,b.c]` gives an array of their results, `{a,"name":b.c}` an object. */
export function multipath(path: string, lookup: Lookup): Step | undefined {
  const parsed = parseSelectors(path);
  if (parsed === undefined) return undefined;
  const { selectors, end } = parsed;
  const rest = path.slice(end);
  if (rest !== '' && !/^[.|]/u.test(rest)) return undefined;
  const found = selectors.flatMap((selector) => {
    const node = lookup(selector.path);
    return node === undefined ? [] : [{ selector, node }];
  });
  if (path.startsWith('[')) return { node: listNode(found.map(({ node }) => node)), rest };
  return { node: objectNode(found.map(({ selector, node }): Entry => ({ ...keyOf(selector), node }))), rest };
}

function keyOf({ name, path }: Selector): Pick<Entry, 'key' | 'rawKey'> {
  const quoted = name.startsWith('"') ? readText(name) : undefined;
  if (quoted?.kind === 'string') return { key: quoted.text, rawKey: name };
  const key = name === '' ? nameOfLast(path) : name;
  return { key, rawKey: canonical(key) };
}

/** The last component of a path, or `_` unless it is a plain name. */
function nameOfLast(path: string): string {
  let start = 0;
  for (let index = path.length - 1; index >= 0 && start === 0; index--) {
    if (/[.|]/u.test(path.charAt(index)) && (index === 0 || path[index - 1] !== '\\')) start = index + 1;
  }
  const name = path.slice(start);
  return /[[\]{}()#|!\0-\x1f]/u.test(name) ? '_' : name;
}

function parseSelectors(path: string): { readonly selectors: readonly Selector[]; readonly end: number } | undefined {
  const selectors: Selector[] = [];
  let depth = 1;
  let start = 1;
  let colon = 0;
  let inModifier = false;
  const push = (end: number): void => {
    selectors.push(
      colon === 0
        ? { name: '', path: path.slice(start, end) }
        : { name: path.slice(start, colon), path: path.slice(colon + 1, end) },
    );
    start = end + 1;
    colon = 0;
    inModifier = false;
  };
  for (let index = 1; index < path.length; index++) {
    switch (path.charAt(index)) {
      case '\\':
        index++;
        break;
      case '@':
        // The colon after a modifier begins its argument.
        inModifier ||= path[index - 1] === '.' || path[index - 1] === '|';
        break;
      case ':':
        if (!inModifier && colon === 0 && depth === 1) colon = index;
        break;
      case ',':
        if (depth === 1) push(index);
        break;
      case '"':
        index = endOfQuoted(path, index) - 1;
        break;
      case '[':
      case '(':
      case '{':
        depth++;
        break;
      case ']':
      case ')':
      case '}':
        depth--;
        if (depth === 0) {
          push(index);
          return { selectors, end: index + 1 };
        }
    }
  }
  return undefined;
}
