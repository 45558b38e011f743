/** Runs `work` for every number below `count`, `atATime` at once; ends with the first failure. */
export async function inParallel(count: number, atATime: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
