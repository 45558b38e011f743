import type { it } from '@jest/globals';

/** `it` that prints the programs' logs when the test fails. */
export type LoggedTest = (title: string, fn: () => Promise<void>, timeoutMs?: number) => void;

export function loggedTest(runner: typeof it | typeof it.skip, suite: string, logs: () => string): LoggedTest {
  return (title, fn, timeoutMs = 180_000) => {
    runner(
      title,
      async () => {
        try {
          await fn();
        } catch (error) {
          process.stderr.write(`\n===== ${suite}: ${title}\n${logs()}\n`);
          throw error;
        }
      },
      timeoutMs,
    );
  };
}
