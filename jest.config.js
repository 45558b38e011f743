/** One jest for everything: unit tests beside the code, `*.integration.test.ts` against real control planes. */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['hawser-source', 'node', 'default'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/tools/mutants/jest-transform.js',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: [
    '<rootDir>/packages/**/src/**/*.test.ts',
    '<rootDir>/simulation/src/**/*.test.ts',
    '<rootDir>/apps/**/src/**/*.test.ts',
    '<rootDir>/tools/**/*.test.ts',
  ],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/tmp/'],
  globalSetup: '<rootDir>/packages/testing/testenv/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/testenv/src/jest/global-teardown.ts',
  testSequencer: '<rootDir>/tools/jest-sequencer.js',
  maxWorkers: 2,
  // Native ES modules are never released: a worker grows with each file, and its collections become slow.
  workerIdleMemoryLimit: '1GB',
  // For a hook or a test that hangs, not for a slow machine.
  testTimeout: 300_000,
};
