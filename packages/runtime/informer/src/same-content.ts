import { equal } from '@hawser/json';

/**
 * Whether two values are certainly equal. Values nested too deeply to compare count as different: their user must
 * detect that.
 */
export function isSameContent(a: unknown, b: unknown): boolean {
  try {
    return equal(a, b);
  } catch {
    return false;
  }
}
