import { isModifierName } from './modifier-name.js';

/** Whether a new path follows a dot, as after a `|`: a modifier, or several paths at once. */
export function opensNewPath(rest: string): boolean {
  if (rest.startsWith('[') || rest.startsWith('{')) return true;
  return rest.startsWith('@') && isModifierName(/^@([^.|:]*)/u.exec(rest)?.[1] ?? '');
}
