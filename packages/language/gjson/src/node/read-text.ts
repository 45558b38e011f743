import { parse } from '@hawser/json';
import { listNode, objectNode, scalarNode } from './made-node.js';
import type { Entry, Node } from './node.js';

/** Parses a JSON text; every part keeps its original text. Undefined for a text that is not JSON. */
export function readText(text: string): Node | undefined {
  try {
    parse(text);
  } catch {
    return undefined;
  }
  // The text of an array or object extends to the end of the input, white space included.
  const start = skipSpace(text, 0);
  const { node } = read(text, start);
  const raw = text.slice(start);
  if (node.items !== undefined) return listNode(node.items, raw);
  return node.entries !== undefined ? objectNode(node.entries, raw) : node;
}

interface ReadNode {
  readonly node: Node;
  readonly end: number;
}

/** Reads the value at `start` of a valid JSON text. */
function read(text: string, start: number): ReadNode {
  switch (text.charAt(start)) {
    case '{':
      return readObject(text, start);
    case '[':
      return readArray(text, start);
    case '"': {
      const end = endOfString(text, start);
      return { node: scalarNode('string', text.slice(start, end)), end };
    }
    case 't':
      return { node: scalarNode('true', 'true'), end: start + 4 };
    case 'f':
      return { node: scalarNode('false', 'false'), end: start + 5 };
    case 'n':
      return { node: scalarNode('null', 'null'), end: start + 4 };
    default: {
      let end = start;
      while (end < text.length && !' \t\r\n,]}'.includes(text.charAt(end))) end++;
      return { node: scalarNode('number', text.slice(start, end)), end };
    }
  }
}

function readArray(text: string, start: number): ReadNode {
  const items: Node[] = [];
  let position = skipSpace(text, start + 1);
  while (text[position] !== ']') {
    const { node, end } = read(text, position);
    items.push(node);
    position = nextMember(text, end);
  }
  return { node: listNode(items, text.slice(start, position + 1)), end: position + 1 };
}

function readObject(text: string, start: number): ReadNode {
  const entries: Entry[] = [];
  let position = skipSpace(text, start + 1);
  while (text[position] !== '}') {
    const keyEnd = endOfString(text, position);
    const rawKey = text.slice(position, keyEnd);
    const { node, end } = read(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    entries.push({ key: parse(rawKey) as string, rawKey, node });
    position = nextMember(text, end);
  }
  return { node: objectNode(entries, text.slice(start, position + 1)), end: position + 1 };
}

function nextMember(text: string, end: number): number {
  const position = skipSpace(text, end);
  return text[position] === ',' ? skipSpace(text, position + 1) : position;
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && ' \t\r\n'.includes(text.charAt(position))) position++;
  return position;
}

function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}
