// Runs jest once per message in this process: loaded and cached modules stay. The parent ends it if a mutant hangs.
import { join } from 'node:path';
import { runCLI } from 'jest';
import { root } from '../workspace.ts';

export interface TestRun {
  readonly mutated: readonly string[];
  readonly tests: readonly string[];
  readonly mutant: string;
  /** File for the mutants that each test file reaches; empty: no record. */
  readonly reached: string;
}

export interface TestOutcome {
  readonly passed: boolean;
  readonly failures: readonly string[];
  /** Duration of each test file. */
  readonly files: readonly { readonly path: string; readonly failed: boolean; readonly ms: number }[];
}

/** All tests but those that need the listed mutants (`roughEdge`), absent from this build. */
const unplanted = '^(?!.*which fails with what the Go program does)';

/** Settings taken from the workspace's configuration. */
interface Shared {
  readonly default: {
    readonly transform: Readonly<Record<string, readonly [string, object]>>;
    readonly testEnvironment: string;
    readonly testEnvironmentOptions: object;
    readonly extensionsToTreatAsEsm: readonly string[];
    readonly moduleNameMapper: object;
    readonly modulePathIgnorePatterns: readonly string[];
  };
}

async function run({ mutated, tests, mutant, reached }: TestRun): Promise<TestOutcome> {
  Object.assign(process.env, { HAWSER_MUTANT: mutant, HAWSER_REACHED: reached });
  const {
    default: {
      transform,
      testEnvironment,
      testEnvironmentOptions,
      extensionsToTreatAsEsm,
      moduleNameMapper,
      modulePathIgnorePatterns,
    },
  } = (await import(join(root, 'jest.config.js'))) as Shared;
  const config = {
    testEnvironment,
    testEnvironmentOptions,
    extensionsToTreatAsEsm,
    moduleNameMapper,
    modulePathIgnorePatterns,
    rootDir: root,
    roots: [join(root, 'packages')],
    testMatch: ['**/*.test.ts'],
    transform: Object.fromEntries(
      Object.entries(transform).map(([pattern, [, options]]) => [
        pattern,
        [join(root, 'tools/mutants/generated-transform.js'), { ...options, mutated }],
      ]),
    ),
    setupFilesAfterEnv: [join(root, 'tools/mutants/jest-setup.js')],
  };
  const { results } = await runCLI(
    {
      _: [...tests],
      $0: '',
      config: JSON.stringify(config),
      runTestsByPath: true,
      runInBand: true,
      testNamePattern: unplanted,
      silent: true,
      reporters: [],
      ci: true,
      watchman: false,
      testTimeout: 20_000,
    },
    [root],
  );
  const files = results.testResults.map(({ testFilePath, numFailingTests, perfStats, testExecError }) => ({
    path: testFilePath,
    failed: numFailingTests > 0 || testExecError !== undefined,
    ms: perfStats.runtime,
  }));
  return {
    passed: results.success,
    files,
    failures: results.testResults.flatMap(({ testFilePath, failureMessage }) =>
      typeof failureMessage === 'string' ? [`${testFilePath}\n${failureMessage}`] : [],
    ),
  };
}

process.on('message', (order: TestRun) => {
  run(order)
    .then((outcome) => process.send?.(outcome))
    .catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
      process.disconnect();
    });
});
