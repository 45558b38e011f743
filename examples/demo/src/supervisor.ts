import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Reaper } from '@hawser/testenv';
import { DemoError } from './demo-error.js';

/** Same as in the executables. */
const nodeFlags = ['--max-semi-space-size=8', '--disable-warning=ExperimentalWarning'];

/** A role of the supervisor as its own process. */
export interface RoleProcess {
  readonly name: string;
  readonly logFile: string;
  /** The end of its log. */
  lastWords(): string;
  /** Ends it gracefully; kills it after 12 s. Idempotent. */
  stop(): Promise<void>;
}

export interface RoleOptions {
  readonly name: string;
  /** The module of the `hawser` command. */
  readonly hawser: string;
  readonly args: readonly string[];
  /** Flag for the address of its health endpoint. */
  readonly addressFlag: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly reaper: Reaper;
  /** Called when it ends unasked. */
  readonly onDeath: (error: DemoError) => void;
}

export function startRole({
  name,
  hawser,
  args,
  addressFlag,
  env,
  logFile,
  reaper,
  onDeath,
}: RoleOptions): RoleProcess {
  const log = openSync(logFile, 'a', 0o600);
  // In its own process group: Ctrl-C goes to the demo, which ends it gracefully.
  const child = spawn(process.execPath, [...nodeFlags, hawser, ...args, `${addressFlag}=127.0.0.1:0`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const { pid } = child;
  if (pid !== undefined) reaper.watch(pid);
  let stopping = false;
  const lastWords = (): string => readFileSync(logFile, 'utf8').trim().split('\n').slice(-15).join('\n');
  const ended = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      if (pid !== undefined) reaper.forget(pid);
      resolve();
      if (!stopping) onDeath(new DemoError('failed', `${name} ended by itself (${how})`));
    };
    child.once('error', (error) => {
      end(error.message);
    });
    child.once('exit', (code, signal) => {
      end(signal ?? `exit ${String(code)}`);
    });
  });
  return {
    name,
    logFile,
    lastWords,
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 12_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
