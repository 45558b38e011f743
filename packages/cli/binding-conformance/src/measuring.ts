import type { Clock } from '@hawser/clock';

/** Number of objects for a throughput. */
export const OBJECTS = 100;
/** Number of changes for a latency. */
export const CHANGES = 20;

/** Works on ten at a time. */
export async function inParallel(names: readonly string[], make: (name: string) => Promise<unknown>): Promise<void> {
  const left = [...names];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) await make(name);
    }),
  );
}

/** {@link OBJECTS} in this time, in words. */
export function rate(ms: number): string {
  return `${Math.round((OBJECTS * 1_000) / ms)} objects/s`;
}

/** Repeats `look` at once until it succeeds. */
export async function again(look: () => Promise<boolean>): Promise<void> {
  const MOST = 20_000;
  for (let tries = 0; tries < MOST; tries++) if (await look()) return;
  throw new Error(`not after ${MOST} reads`);
}

/** Duration of a step over several runs, in words. */
export async function latencies(clock: Clock, times: number, step: (index: number) => Promise<void>): Promise<string> {
  const taken: number[] = [];
  for (let index = 0; index < times; index++) {
    const began = clock.monotonic();
    await step(index);
    taken.push(clock.monotonic() - began);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number): string =>
    (taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, longest ${at(1)} ms`;
}
