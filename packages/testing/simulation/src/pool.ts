import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Defect, plant } from './planted.js';
import type { Schedule } from './schedule.js';
import type { Settings } from './settings.js';
import { type SimulationResult, simulate } from './simulate.js';

/** One run for a worker. */
export interface Task {
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  readonly planted?: Defect | undefined;
  /** Of a run that is recorded. */
  readonly settings?: Settings | undefined;
  readonly schedule?: Schedule | undefined;
  readonly name?: string | undefined;
}

export interface Report extends Omit<SimulationResult, 'schedule' | 'settings' | 'trace'> {
  /** What the run cost. */
  readonly cpuMs: number;
}

/** What a worker runs: this module bundled, or as it stands. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js', import.meta.url);

/** Runs tasks in processes of their own: a planted defect may leave anything behind, and each has a core. */
export async function runAll(next: () => Task | undefined, workers: number, onReport: (task: Task, report: Report) => void): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => new Promise<void>((resolve, reject) => {
    const child = fork(fileURLToPath(WORKER), [], { execArgv: process.execArgv });
    let current: Task | undefined;
    const give = (): void => {
      current = next();
      if (current === undefined) child.disconnect();
      else child.send(current);
    };
    child.on('message', (report: Report) => {
      if (current !== undefined) onReport(current, report);
      give();
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (current === undefined) resolve();
      else reject(new Error(`a worker ended with ${code ?? signal ?? 'nothing'} in seed ${current.seed}`));
    });
    give();
  })));
}

/** The life of a worker: a task, a report, until the parent has no more. */
export function work(): void {
  process.on('message', ({ planted, ...options }: Task) => {
    plant(planted);
    const before = process.cpuUsage();
    void simulate(options).then(({ seed, violations, requests, virtualMs, digest, convergedMs }) => {
      const { user, system } = process.cpuUsage(before);
      process.send?.({ seed, violations, requests, virtualMs, digest, convergedMs, cpuMs: (user + system) / 1_000 } satisfies Report);
    });
  });
}
