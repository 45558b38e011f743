import { appendFileSync } from 'node:fs';
import { afterAll, expect } from '@jest/globals';

// Runs before each file's tests: turns one generated mutant on, or records which ones the file reaches.
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
