import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Leaves on the heap what is in use. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
