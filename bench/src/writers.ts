/** Runs `work` for 0 … count−1, `width` at a time. Resolves to the milliseconds it took. */
export async function writers(
  count: number,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(width, count) }, async () => {
      for (let index = next++; index < count; index = next++) await work(index);
    }),
  );
  return performance.now() - start;
}

/** The q-quantile (0 to 1) of the values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
