/** Runs `work` for 0, 1, … up to `count`, so many at a time; ends with the first failure. */
export async function inParallel(count: number, atATime: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
