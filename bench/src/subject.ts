import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';

/** A process whose work is measured from the outside. */
export interface Subject {
  readonly name: string;
  readonly pid: number;
  /** CPU used so far, user and system, in milliseconds. */
  cpuMs(): number;
  rssBytes(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const TICKS_PER_SECOND = 100;

export function startSubject(name: string, command: string, args: readonly string[], env: Readonly<Record<string, string>>, logFile: string): Subject {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  // Nothing outlives the bench, however it ends.
  const orphaned = (): void => { child.kill('SIGKILL'); };
  process.once('exit', orphaned);
  const ended = new Promise<void>((resolve) => { child.once('exit', () => { resolve(); }); });
  return {
    name,
    pid,
    cpuMs() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
    },
    rssBytes: () => Number(/^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1_024,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      process.off('exit', orphaned);
    },
  };
}
