import base from '../jest.config.js';

/** As for the other tests, with the suites of this folder. `run.mjs` says which. */
export default {
  ...base,
  testMatch: ['<rootDir>/e2e/src/**/*.test.ts'],
  // A suite is two control planes and the programs under test.
  maxWorkers: 3,
};
