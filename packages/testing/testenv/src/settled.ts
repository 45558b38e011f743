import { eventually } from './eventually.js';

export interface SettledOptions {
  /** How many further looks must find no more. Default 4. */
  readonly quiet?: number;
  /** Time between two looks. Default 20 ms. */
  readonly intervalMs?: number;
  /** Default a minute: an API server that compiles a large schema answers late, and so does what waits for it. */
  readonly timeoutMs?: number;
}

/**
 * What `read` gives once it grows no more: for lists that can only get longer, such as what an audit log tells of writes.
 * @throws TestenvError `timeout` if it is still growing after `timeoutMs`
 */
export async function settled<T>(
  read: () => Promise<readonly T[]>,
  { quiet = 4, intervalMs = 20, timeoutMs = 60_000 }: SettledOptions = {},
): Promise<readonly T[]> {
  let last = -1;
  let same = 0;
  await eventually(
    async () => {
      const found = await read();
      same = found.length === last ? same + 1 : 0;
      last = found.length;
      if (same < quiet)
        throw new Error(
          `there are ${found.length}, and it was not seen yet whether more come: … ${JSON.stringify(found.slice(-5))}`,
        );
    },
    { timeoutMs, intervalMs },
  );
  return read();
}
