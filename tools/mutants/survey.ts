import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { root } from '../workspace.ts';
import type { Switched } from './generated.ts';
import type { TestOutcome, TestRun } from './jest-worker.ts';

/** Longer than this no run of unit tests takes: the mutant does not come to an end. */
const ENDLESS_MS = 90_000;

export type Fate = 'killed' | 'endless' | 'survived' | 'unreached';

/** Runs the tests with each mutant, one by one, and calls `onFate` with what became of it. Throws Error if a test fails without any. */
export async function survey(mutants: readonly Switched[], tests: readonly string[], onFate: (mutant: Switched, fate: Fate) => void): Promise<void> {
  const mutated = [...new Set(mutants.map(({ file }) => file))];
  const worker = new Worker();
  try {
    const reaching = await reached(worker, mutated, tests);
    for (const mutant of mutants) {
      const its = tests.filter((test) => reaching.get(test)?.has(mutant.id) === true).toSorted((one, other) => likeness(other, mutant.file) - likeness(one, mutant.file));
      if (its.length === 0) {
        onFate(mutant, 'unreached');
        continue;
      }
      onFate(mutant, await fateOf(worker, mutant, mutated, its));
    }
  } finally {
    worker.end();
  }
}

/** Runs the likely test files one after the other until one fails, since jest's own `bail` ends its process; then all others at once. */
async function fateOf(worker: Worker, { id, file }: Switched, mutated: readonly string[], tests: readonly string[]): Promise<Fate> {
  const likely = tests.filter((test) => likeness(test, file) > 0);
  const others = tests.filter((test) => !likely.includes(test));
  for (const run of [...likely.map((test) => [test]), ...(others.length === 0 ? [] : [others])]) {
    const outcome = await worker.run({ mutated, tests: run, mutant: id, reached: '' });
    if (outcome === undefined) return 'endless';
    if (!outcome.passed) return 'killed';
  }
  return 'survived';
}

/** Which mutants each test file reaches. */
async function reached(worker: Worker, mutated: readonly string[], tests: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-mutants-'));
  try {
    const notes = join(folder, 'reached');
    const outcome = await worker.run({ mutated, tests, mutant: '', reached: notes });
    if (outcome?.passed !== true) throw new Error(`a test fails without any mutant:\n${outcome?.failures.join('\n') ?? 'it does not come to an end'}`);
    const lines = readFileSync(notes, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { path: string; reached: string[] });
    return new Map(lines.map(({ path, reached: names }) => [relative(root, path), new Set(names)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** How much of its name a test file shares with a source: the likeliest runs first. */
function likeness(test: string, file: string): number {
  const [name, source] = [basename(test, '.test.ts'), basename(file, '.ts')];
  if (name === source) return 3;
  if (source.startsWith(name)) return 2;
  return name.split('-')[0] === source.split('-')[0] ? 1 : 0;
}

/** One process that runs jest again and again; a new one after it was ended. */
class Worker {
  #child: ChildProcess | undefined;

  run(order: TestRun): Promise<TestOutcome | undefined> {
    const child = this.#child ??= fork(join(import.meta.dirname, 'jest-worker.ts'), [], { cwd: root, execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'] });
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
