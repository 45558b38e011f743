import type { Node } from './node.js';

/** All definitions of one text. */
export interface TemplateSet {
  readonly name: string;
  /** For positions in messages. */
  readonly text: string;
  readonly root: readonly Node[];
  /** By name, the text itself included. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
  /** Names of called functions. */
  readonly functions: ReadonlySet<string>;
}

/** Line (from 1) and column (bytes, from 0) of an index into a text. */
export function positionOf(text: string, position: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, position);
  const start = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let index = before.indexOf('\n'); index >= 0; index = before.indexOf('\n', index + 1)) line++;
  return { line, column: Buffer.byteLength(before.slice(start)) };
}
