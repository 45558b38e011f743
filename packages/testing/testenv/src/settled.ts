import { eventually } from './eventually.js';

export interface SettledOptions {
  /** How many further looks must find no more. Default 4. */
  readonly quiet?: number;
  /** Time between two looks. Default 20 ms. */
  readonly intervalMs?: number;
}

/** An API server that compiles a large schema answers late, and so does what waits for it. */
const WITHIN_MS = 60_000;

/**
 * What `read` gives once it grows no more: for lists that can only get longer, such as what an audit log tells of writes.
 * @throws TestenvError `timeout` if it is still growing after a minute
 */
export async function settled<T>(read: () => Promise<readonly T[]>, { quiet = 4, intervalMs = 20 }: SettledOptions = {}): Promise<readonly T[]> {
  let last = -1;
  let same = 0;
  await eventually(async () => {
    const { length } = await read();
    same = length === last ? same + 1 : 0;
    last = length;
    if (same < quiet) throw new Error(`there are ${length}, and it was not seen yet whether more come`);
  }, { timeoutMs: WITHIN_MS, intervalMs });
  return read();
}
