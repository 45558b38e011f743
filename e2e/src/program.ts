import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@hawser/testenv';
import type { Watchdog } from './watchdog.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process under test. Its output goes to a file. */
export interface Program {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** `http://127.0.0.1:<port>` of its health endpoint. */
  readonly health: string;
  readonly exited: Promise<Exit>;
  readonly running: boolean;
  log(): string;
  /** Ends it and waits for its end; kills it after `withinMs`. Idempotent. */
  stop(signal?: NodeJS.Signals, withinMs?: number): Promise<Exit>;
}

export interface ProgramOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Flag for the address of its health endpoint. Default: `--server-address`. */
  readonly addressFlag?: string;
  /** Address of the health endpoint, `host:port`. Default: a free port. */
  readonly address?: string;
  /** Working folder and log folder. */
  readonly folder: string;
  readonly watchdog: Watchdog;
}

/** Starts a program with a health endpoint. Of our environment it gets only what locates programs. */
export async function startProgram({
  name,
  command,
  args,
  env = {},
  addressFlag = '--server-address',
  address: given,
  folder,
  watchdog,
}: ProgramOptions): Promise<Program> {
  const address = given ?? `127.0.0.1:${await freePort()}`;
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(command, [...args, `${addressFlag}=${address}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      exit = { code, signal };
      if (child.pid !== undefined) watchdog.forget(child.pid);
      resolve(exit);
    });
  });
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    throw new Error(`${command} did not start`);
  }
  watchdog.watch(pid);
  return {
    name,
    pid,
    logFile,
    health: `http://${address}`,
    exited,
    get running() {
      return exit === undefined;
    },
    log: () => readFileSync(logFile, 'utf8'),
    async stop(signal = 'SIGTERM', withinMs = 20_000) {
      if (exit !== undefined) return exit;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** GET of its health endpoint. */
export async function probe(
  program: Program,
  path: string,
): Promise<{ readonly status: number; readonly contentType: string; readonly text: string }> {
  const response = await fetch(program.health + path, { signal: AbortSignal.timeout(5_000) });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

/**
 * Waits until it leads and works; it may first wait for a lease of a process that is gone. Fails at once if the program
 * ends.
 */
export async function working(program: Program, marker: string, timeoutMs = 60_000): Promise<void> {
  const outcome = await eventually(
    () => {
      if (program.log().includes(marker)) return 'works';
      return program.running ? false : 'ended';
    },
    { timeoutMs, intervalMs: 50 },
  );
  if (outcome === 'ended') throw new Error(`${program.name} ended: ${program.log().slice(-500)}`);
}

/** Waits until it reports that another process has the Lease. */
export async function standsBy(program: Program): Promise<void> {
  await eventually(
    async () => {
      const { text } = await probe(program, '/readyz?verbose');
      if (!text.includes('standing by')) throw new Error(`${program.name} does not stand by: ${text}`);
    },
    { timeoutMs: 60_000, intervalMs: 100 },
  );
}
