import base from '../jest.config.js';

/** Like the other tests, with the suites of this folder. `run.mjs` selects them. */
export default {
  ...base,
  testMatch: ['<rootDir>/e2e/src/**/*.test.ts'],
  // A suite is two control planes and the programs under test.
  maxWorkers: 3,
};
