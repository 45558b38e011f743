import { isModifierName } from './modifier-name.js';

/** Whether what stands behind a dot is a path of its own, as if the dot were a `|`: a modifier, or several paths at once. */
export function opensNewPath(rest: string): boolean {
  if (rest.startsWith('[') || rest.startsWith('{')) return true;
  return rest.startsWith('@') && isModifierName(/^@([^.|:]*)/u.exec(rest)?.[1] ?? '');
}
