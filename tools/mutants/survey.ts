import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { root } from '../workspace.ts';
import type { Switched } from './generated.ts';
import type { TestOutcome, TestRun } from './jest-worker.ts';

/** No run of unit tests takes longer than this: the mutant hangs. */
const ENDLESS_MS = 90_000;

export type Fate = 'killed' | 'endless' | 'survived' | 'unreached';

/** Number of test files run one by one before all others run at once. */
const APART = 3;

/** Each run of jest leaks something in its process. */
const RUNS_OF_A_PROCESS = 100;

/**
 * Runs the tests with each mutant in turn, and calls `onFate` with the outcome. Throws Error if a test fails without
 * any mutant.
 */
export async function survey(
  mutants: readonly Switched[],
  tests: readonly string[],
  onFate: (mutant: Switched, fate: Fate) => void,
): Promise<void> {
  const mutated = [...new Set(mutants.map(({ file }) => file))];
  const worker = new Worker();
  try {
    const suites = await reached(worker, mutated, tests);
    for (const mutant of mutants)
      onFate(
        mutant,
        await fateOf(
          worker,
          mutant,
          mutated,
          suites.filter(({ reaches }) => reaches.has(mutant.id)),
        ),
      );
  } finally {
    worker.end();
  }
}

/** A test file. */
interface Suite {
  readonly path: string;
  readonly ms: number;
  /** Mutants whose functions it runs. */
  readonly reaches: ReadonlySet<string>;
  /** Number of mutants it has found. */
  found: number;
}

/**
 * Runs the likeliest test files one by one until one fails, then all others at once: jest's own `bail` ends its
 * process.
 */
async function fateOf(
  worker: Worker,
  { id, file }: Switched,
  mutated: readonly string[],
  suites: readonly Suite[],
): Promise<Fate> {
  const sorted = suites
    .toSorted(
      (one, other) =>
        likeness(other.path, file) - likeness(one.path, file) ||
        (other.found + 1) / other.ms - (one.found + 1) / one.ms,
    )
    .map(({ path }) => path);
  const runs = [...sorted.slice(0, APART).map((path) => [path]), sorted.slice(APART)].filter((run) => run.length > 0);
  if (runs.length === 0) return 'unreached';
  for (const run of runs) {
    const outcome = await worker.run({ mutated, tests: run, mutant: id, reached: '' });
    if (outcome === undefined) return 'endless';
    const failed = outcome.files.filter((one) => one.failed).map(({ path }) => relative(root, path));
    for (const suite of suites) if (failed.includes(suite.path)) suite.found += 1;
    if (!outcome.passed) return 'killed';
  }
  return 'survived';
}

/** The test files, with the mutants that each reaches. */
async function reached(
  worker: Worker,
  mutated: readonly string[],
  tests: readonly string[],
): Promise<readonly Suite[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-mutants-'));
  try {
    const notes = join(folder, 'reached');
    const outcome = await worker.run({ mutated, tests, mutant: '', reached: notes });
    if (outcome?.passed !== true)
      throw new Error(
        `a test fails without any mutant:\n${outcome?.failures.join('\n') ?? 'it does not come to an end'}`,
      );
    const lines = readFileSync(notes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string; reached: string[] });
    return lines.map(({ path, reached: names }) => ({
      path: relative(root, path),
      reaches: new Set(names),
      found: 0,
      ms: Math.max(1, outcome.files.find((one) => one.path === path)?.ms ?? 1),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether a test file has the name of a source. */
function likeness(test: string, file: string): number {
  return basename(test, '.test.ts') === basename(file, '.ts') ? 1 : 0;
}

/** A process that runs jest repeatedly; restarted after it was ended. */
class Worker {
  #child: ChildProcess | undefined;
  #runs = 0;

  run(order: TestRun): Promise<TestOutcome | undefined> {
    this.#runs += 1;
    if (this.#runs % RUNS_OF_A_PROCESS === 0) this.end();
    const child = (this.#child ??= fork(join(import.meta.dirname, 'jest-worker.ts'), [], {
      cwd: root,
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    }));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        child.removeAllListeners();
      };
      const timer = setTimeout(() => {
        settle();
        this.end();
        resolve(undefined);
      }, ENDLESS_MS);
      child.once('message', (outcome: TestOutcome) => {
        settle();
        resolve(outcome);
      });
      child.once('exit', (code) => {
        settle();
        this.#child = undefined;
        reject(new Error(`jest ended with ${code ?? 'a signal'} in mutant ${order.mutant}`));
      });
      child.send(order);
    });
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
