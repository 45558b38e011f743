import { type Following, followingOf } from './object-component.js';
import { type Query, parseQuery } from './query.js';
import { splitPipe } from './split-pipe.js';

/** The next component of a path, for an array. */
export type ArrayComponent =
  | { readonly kind: 'index'; readonly index: number; readonly following: Following }
  /** `#`: the number of elements. */
  | { readonly kind: 'count'; readonly following: Following }
  /** `#.path`: the path's value in every element. */
  | { readonly kind: 'each'; readonly path: string; readonly pipe: string | undefined }
  | { readonly kind: 'query'; readonly query: Query; readonly all: boolean; readonly following: Following }
  /** Matches nothing in any array. */
  | { readonly kind: 'nothing'; readonly following: Following };

export function parseArrayComponent(path: string): ArrayComponent {
  if (path.startsWith('#.')) {
    const [each, pipe] = splitPipe(path.slice(2));
    return { kind: 'each', path: each, pipe };
  }
  if (path.startsWith('#(') || path.startsWith('#[')) {
    const parsed = parseQuery(path);
    // An unterminated query matches any element.
    if (parsed === undefined)
      return { kind: 'query', query: { path: '', operator: '', operand: '' }, all: false, following: { kind: 'end' } };
    return {
      kind: 'query',
      query: parsed.query,
      all: path[parsed.end] === '#',
      following: partAt(path, parsed.end, true).following,
    };
  }
  const { part, following } = partAt(path, 0, false);
  if (/^[0-9]+$/u.test(part)) return { kind: 'index', index: Number(part), following };
  return { kind: part === '#' ? 'count' : 'nothing', following };
}

function partAt(
  path: string,
  start: number,
  behindHash: boolean,
): { readonly part: string; readonly following: Following } {
  const separator = /[.|]/gu;
  separator.lastIndex = start;
  const index = separator.exec(path)?.index;
  if (index === undefined) return { part: path, following: { kind: 'end' } };
  const part = path.slice(0, index);
  const plainDot = path[index] === '.' && (behindHash || part.includes('#'));
  return { part, following: plainDot ? { kind: 'more', path: path.slice(index + 1) } : followingOf(path, index) };
}
