import { equal } from '@hawser/json';

/** Whether two values are known to say the same. What cannot be compared, since it is nested too deeply, counts as different: to find that out is the work of whoever uses it. */
export function isSameContent(a: unknown, b: unknown): boolean {
  try {
    return equal(a, b);
  } catch {
    return false;
  }
}
