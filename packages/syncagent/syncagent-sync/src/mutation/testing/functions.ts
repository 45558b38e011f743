import { sprigFunctions } from '@hawser/gotemplate';

/** What templates can call in tests: sprig at the beginning of 2026, with bytes that are not random. */
export const functions = sprigFunctions({
  clock: { now: () => Date.UTC(2026, 0, 1) },
  random: (size) => new Uint8Array(size),
});
