const OPENING = '{[(';
const CLOSING = '}])';

/** Index after the quoted text that begins at `start`; the end of the path if unterminated. */
export function endOfQuoted(path: string, start: number): number {
  for (let index = start + 1; index < path.length; index++) {
    if (path[index] === '\\') index++;
    else if (path[index] === '"') return index + 1;
  }
  return path.length;
}

/**
 * Index after the bracket, brace, parenthesis or quoted text that begins at `start`; the end of the path if
 * unterminated.
 */
export function endOfBalanced(path: string, start: number): number {
  if (path[start] === '"') return endOfQuoted(path, start);
  let depth = 1;
  for (let index = start + 1; index < path.length; index++) {
    const character = path.charAt(index);
    if (character === '"') index = endOfQuoted(path, index) - 1;
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character) && --depth === 0) return index + 1;
  }
  return path.length;
}
