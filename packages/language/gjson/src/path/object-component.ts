import { opensNewPath } from './opens-new-path.js';

/** What follows a component: more of the path, a new path for the result, or nothing. */
export type Following =
  | { readonly kind: 'end' }
  | { readonly kind: 'more'; readonly path: string }
  | { readonly kind: 'pipe'; readonly path: string };

/** The next component of a path, for an object. */
export interface ObjectComponent {
  readonly key: string;
  /** The key is a pattern with `*` and `?`. */
  readonly wild: boolean;
  readonly following: Following;
}

/** What follows the separator at `index`. */
export function followingOf(path: string, index: number): Following {
  const rest = path.slice(index + 1);
  return path[index] === '|' || opensNewPath(rest) ? { kind: 'pipe', path: rest } : { kind: 'more', path: rest };
}

/** Reads a component up to the next `.` or `|`; `\` escapes the next character. */
export function parseObjectComponent(path: string): ObjectComponent {
  let key = '';
  let wild = false;
  for (let index = 0; index < path.length; index++) {
    const character = path.charAt(index);
    if (character === '.' || character === '|') return { key, wild, following: followingOf(path, index) };
    if (character === '\\') {
      index++;
      key += path.charAt(index);
    } else {
      wild ||= character === '*' || character === '?';
      key += character;
    }
  }
  return { key, wild, following: { kind: 'end' } };
}
