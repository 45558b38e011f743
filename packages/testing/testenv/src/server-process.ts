import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import type { Reaper } from './reaper.js';

export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** In addition to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output and error go to this file; appended. */
  readonly logFile: string;
  readonly reaper: Reaper;
}

/** A server as a child process. */
export interface ServerProcess {
  readonly pid: number;
  /** Absent while it runs; then how it ended, as text. */
  readonly ended: string | undefined;
  /** Sends `signal` and resolves when the process is gone; kills it after `graceMs`. */
  stop(signal: 'SIGTERM' | 'SIGKILL', graceMs?: number): Promise<void>;
  /** The end of its log. */
  logTail(): Promise<string>;
}

/** Starts a server. It neither keeps this process alive nor outlives it. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const log = await open(options.logFile, 'a');
  const child = spawn(options.program, options.args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let ended: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      ended = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      ended = signal ?? `exit ${code ?? '?'}`;
      if (child.pid !== undefined) options.reaper.forget(child.pid);
      resolve();
    });
  });
  if (child.pid !== undefined) options.reaper.watch(child.pid);
  await log.close();
  child.unref();
  return {
    pid: child.pid ?? -1,
    get ended() {
      return ended;
    },
    async stop(signal, graceMs = 15_000) {
      if (ended !== undefined) return;
      child.ref();
      const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
      child.kill(signal);
      await exited;
      clearTimeout(kill);
    },
    logTail: async () =>
      (await readFile(options.logFile, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-15).join('\n'),
  };
}
