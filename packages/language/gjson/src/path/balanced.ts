const OPENING = '{[(';
const CLOSING = '}])';

/** The end of the quoted text that begins at `start`, behind its closing quote; the end of the path where there is none. */
export function endOfQuoted(path: string, start: number): number {
  for (let index = start + 1; index < path.length; index++) {
    if (path[index] === '\\') index++;
    else if (path[index] === '"') return index + 1;
  }
  return path.length;
}

/** The end of the bracket, brace, parenthesis or quoted text that begins at `start`, behind its end; the end of the path where it is not closed. */
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
