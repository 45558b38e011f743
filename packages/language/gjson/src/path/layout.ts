import { parseBoolean } from '../go-number.js';
import { compareText } from '../node/compare.js';
import type { Entry, Node, NodeKind } from '../node/node.js';

interface Layout {
  /** Longest array that may stay on one line. */
  readonly width: number;
  readonly prefix: string;
  readonly indent: string;
  readonly sortKeys: boolean;
}

/** A value without white space. */
export function compact(node: Node): string {
  if (node.items !== undefined) return `[${node.items.map(compact).join(',')}]`;
  return node.entries === undefined
    ? node.raw
    : `{${node.entries.map((entry) => `${entry.rawKey}:${compact(entry.node)}`).join(',')}}`;
}

/**
 * A value on several lines, with a final line break. Options: `width` (80), `prefix`, `indent` (two spaces),
 * `sortKeys`.
 */
export function pretty(node: Node, options: ReadonlyMap<string, Node>): string {
  const width = options.get('width');
  const sortKeys = options.get('sortKeys');
  const layout: Layout = {
    width:
      width === undefined
        ? 80
        : Math.trunc(width.kind === 'string' ? Number.parseInt(width.text, 10) || 0 : width.number),
    prefix: space(options.get('prefix')) ?? '',
    indent: space(options.get('indent')) ?? '  ',
    sortKeys:
      sortKeys !== undefined &&
      (sortKeys.kind === 'true' || sortKeys.number !== 0 || parseBoolean(sortKeys.text) === true),
  };
  return `${layout.prefix}${write(node, layout, layout.prefix.length, 0)}\n`;
}

/** A prefix or indentation can only be white space. */
const space = (node: Node | undefined): string | undefined =>
  node === undefined ? undefined : (node.kind === 'string' ? node.text : node.raw).replace(/[^ \t\r\n]/gu, '');

/**
 * @param column - where the value begins on its line
 * @param depth - indentation of its members, less one
 */
function write(node: Node, layout: Layout, column: number, depth: number): string {
  const members = node.items?.length ?? node.entries?.length;
  if (members === undefined) return node.raw;
  const [open, close] = node.items === undefined ? '{}' : '[]';
  if (members === 0) return `${open ?? ''}${close ?? ''}`;
  const line = node.items === undefined ? undefined : onOneLine(node, layout.width - column);
  if (line !== undefined) return line;
  const margin = layout.prefix + layout.indent.repeat(depth + 1);
  const lines =
    node.items?.map((item) => margin + write(item, layout, columnOf(margin), depth + 1)) ??
    sorted(node.entries ?? [], layout.sortKeys).map(({ rawKey, node: value }) => {
      const before = `${margin}${rawKey}: `;
      return before + write(value, layout, columnOf(before), depth + 1);
    });
  return `${open ?? ''}\n${lines.join(',\n')}\n${layout.prefix}${layout.indent.repeat(depth)}${close ?? ''}`;
}

/** Lengths are in UTF-8 bytes; the preceding line break counts. */
const columnOf = (before: string): number => Buffer.byteLength(before) + 1;

function onOneLine(node: Node, room: number): string | undefined {
  const line = room > 3 ? inline(node) : undefined;
  return line !== undefined && Buffer.byteLength(line) <= room ? line : undefined;
}

/** Arrays of scalars and of such arrays; undefined if there is an object inside. */
function inline(node: Node): string | undefined {
  if (node.entries !== undefined) return undefined;
  if (node.items === undefined) return node.raw;
  const parts = node.items.map(inline);
  return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`;
}

const RANK: Readonly<Record<NodeKind, number>> = { null: 0, false: 1, number: 2, string: 3, true: 4, json: 5 };

function sorted(entries: readonly Entry[], sortKeys: boolean): readonly Entry[] {
  if (!sortKeys) return entries;
  return entries.toSorted((left, right) => compareText(left.key, right.key) || compareNodes(left.node, right.node));
}

/** Of equal keys the lesser value comes first. */
function compareNodes(left: Node, right: Node): number {
  if (left.kind !== right.kind) return RANK[left.kind] - RANK[right.kind];
  if (left.kind === 'number') return left.number - right.number;
  return left.kind === 'string' ? compareText(left.text, right.text) : compareText(left.raw, right.raw);
}
