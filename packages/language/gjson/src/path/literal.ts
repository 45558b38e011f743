import { scalarNode } from '../node/made-node.js';
import type { Node } from '../node/node.js';
import { readText } from '../node/read-text.js';
import { endOfBalanced } from './balanced.js';
import type { Step } from './step.js';

const NUMBER = /^[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/u;

/** A literal value in the path: `!"text"`, `!1`, `!{"a":1}`, `!true`. */
export function literal(path: string): Step | undefined {
  const text = path.slice(1);
  if (/^[{["]/u.test(text)) {
    const end = endOfBalanced(text, 0);
    return { node: readText(text.slice(0, end)), rest: text.slice(end) };
  }
  const number = NUMBER.exec(text)?.[0];
  if (number !== undefined) return { node: readText(number.replace(/^\+/u, '')), rest: text.slice(number.length) };
  const word = /^[^.|]*/u.exec(text)?.[0] ?? '';
  const node = wordNode(word);
  return node === undefined ? undefined : { node, rest: text.slice(word.length) };
}

function wordNode(word: string): Node | undefined {
  switch (word.toLowerCase()) {
    case 'true':
      return scalarNode('true', 'true');
    case 'false':
      return scalarNode('false', 'false');
    case 'null':
      return scalarNode('null', 'null');
    case 'nan':
    case 'inf':
      return scalarNode('number', word);
    default:
      return undefined;
  }
}
