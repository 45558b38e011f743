import { eventually } from './eventually.js';

export interface SettledOptions {
  /** Number of further readings that must find nothing new. Default 4. */
  readonly quiet?: number;
  /** Time between two readings. Default 20 ms. */
  readonly intervalMs?: number;
  /** Default a minute: an API server that compiles a large schema answers late, as does everything behind it. */
  readonly timeoutMs?: number;
}

/**
 * The result of `read` once it stops growing: for lists that only grow, such as writes in an audit log.
 * @throws TestenvError `timeout` if it still grows after `timeoutMs`
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
