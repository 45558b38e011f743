import { appendFileSync } from 'node:fs';
import { afterAll, expect } from '@jest/globals';

// Runs before the tests of each file: turns one generated mutant on, or notes which of them the file reaches.
const { HAWSER_MUTANT: mutant, HAWSER_REACHED: notes } = process.env;
if (mutant) globalThis.hawserMutant = mutant;
if (notes) {
  globalThis.hawserReached = new Set();
  afterAll(() => {
    appendFileSync(
      notes,
      `${JSON.stringify({ path: expect.getState().testPath, reached: [...globalThis.hawserReached].flatMap((names) => names.split(' ')) })}\n`,
    );
  });
}
