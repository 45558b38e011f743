import { endOfBalanced, endOfQuoted } from './balanced.js';

/** A path up to its first `|` outside queries and escapes, and the rest. */
export function splitPipe(path: string): readonly [path: string, pipe: string | undefined] {
  if (!path.includes('|')) return [path, undefined];
  if (path.startsWith('{')) {
    const end = endOfBalanced(path, 0);
    return path[end] === '|' ? [path.slice(0, end), path.slice(end + 1)] : [path, undefined];
  }
  for (let index = 0; index < path.length; index++) {
    if (path[index] === '\\') index++;
    else if (path.startsWith('.#(', index) || path.startsWith('.#[', index)) index = endOfQuery(path, index + 2);
    else if (path[index] === '|') return [path.slice(0, index), path.slice(index + 1)];
  }
  return [path, undefined];
}

/** Index of the bracket that closes the one at `start`. Counts only brackets of its own kind. */
function endOfQuery(path: string, start: number): number {
  const opening = path.charAt(start);
  const closing = opening === '(' ? ')' : ']';
  let depth = 1;
  let index = start + 1;
  for (; index < path.length; index++) {
    const character = path.charAt(index);
    if (character === '\\') index++;
    else if (character === opening) depth++;
    else if (character === closing && --depth === 0) break;
    else if (character === '"') index = endOfQuoted(path, index) - 1;
  }
  return index;
}
