import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Defect, plant } from './planted.js';
import { type SimulationResult, simulate } from './simulate.js';

/** One run for a worker. */
export interface Task {
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  readonly planted?: Defect | undefined;
}

export type Report = Omit<SimulationResult, 'schedule' | 'trace'>;

/** Runs tasks in processes of their own: a planted defect may leave anything behind, and each has a core. */
export async function runAll(next: () => Task | undefined, workers: number, onReport: (task: Task, report: Report) => void): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => new Promise<void>((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [], { execArgv: process.execArgv });
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
  process.on('message', ({ seed, hours, objects, planted }: Task) => {
    plant(planted);
    void simulate({ seed, hours, objects }).then(({ violations, requests, virtualMs, digest, convergedMs }) => {
      process.send?.({ seed, violations, requests, virtualMs, digest, convergedMs } satisfies Report);
    });
  });
}
