import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { activate } from '@hawser/mutants';
import { type Chaos, chaosOf } from './chaos.js';
import type { Schedule } from './schedule.js';
import type { DialectName, Settings } from './settings.js';
import { simulateAgent } from './agent/simulate-agent.js';
import { type SimulationResult, simulate } from './simulate.js';

/** One run for a worker. */
export interface Task {
  readonly seed: number;
  /** Runs the agent between a kcp and a service cluster, with a fixed length. Default: konnectors and providers. */
  readonly agent?: boolean;
  readonly hours: number;
  readonly objects: number;
  readonly dialect?: DialectName | undefined;
  /** The active mutant. */
  readonly mutant?: string | undefined;
  /** Settings of a recorded run. */
  readonly settings?: Settings | undefined;
  readonly schedule?: Schedule | undefined;
  readonly name?: string | undefined;
}

export interface Report extends Omit<SimulationResult, 'schedule' | 'settings' | 'trace'> {
  /** CPU time of the run. */
  readonly cpuMs: number;
  /** Number of faults of each kind, and of people's actions. */
  readonly chaos: Chaos;
}

/** Module of a worker: this module bundled, or as source. */
const WORKER = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js', import.meta.url));
/** The bundle with the mutants, if this one lacks them. */
const MUTANTS = fileURLToPath(new URL('mutants/worker.js', import.meta.url));

/**
 * Runs tasks in processes of their own: a mutant may leave traces, and each process has a core. `mutated`: on sources
 * with the mutants.
 */
export async function runAll(
  next: () => Task | undefined,
  workers: number,
  onReport: (task: Task, report: Report) => void,
  mutated = false,
): Promise<void> {
  await Promise.all(
    Array.from(
      { length: workers },
      () =>
        new Promise<void>((resolve, reject) => {
          const child = fork(mutated && existsSync(MUTANTS) ? MUTANTS : WORKER, [], { execArgv: process.execArgv });
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
        }),
    ),
  );
}

/** The life of a worker: a task, a report, until the parent has no more. */
export function work(): void {
  process.on('message', ({ mutant, agent = false, ...options }: Task) => {
    activate(mutant);
    const before = process.cpuUsage();
    const run = agent ? simulateAgent(options) : simulate(options);
    void run.then(({ seed, violations, requests, virtualMs, digest, convergedMs, schedule }) => {
      const { user, system } = process.cpuUsage(before);
      process.send?.({
        seed,
        violations,
        requests,
        virtualMs,
        digest,
        convergedMs,
        chaos: chaosOf(schedule),
        cpuMs: (user + system) / 1_000,
      } satisfies Report);
    });
  });
}
