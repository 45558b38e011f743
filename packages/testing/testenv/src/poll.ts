import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` every `intervalMs` until it returns a value; `undefined` after `timeoutMs`. Errors of `check` end the
 * wait.
 */
export async function poll<T>(
  check: () => Promise<T | undefined>,
  timeoutMs: number,
  intervalMs: number,
): Promise<T | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer !== undefined || performance.now() >= end) return answer;
    await delay(intervalMs);
  }
}
