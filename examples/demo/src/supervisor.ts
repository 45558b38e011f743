import { spawn } from 'node:child_process';
import { closeSync, globSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Reaper } from '@hawser/testenv';
import { DemoError } from './demo-error.js';

/** Whether a source file is younger than what was built. */
export function isBuilt(root: string): boolean {
  const built = modified(join(root, 'apps/supervisor/dist/hawser.js'));
  const sources = [
    ...globSync(['packages/{machinery,api,konnector,provider}/*/{package.json,src/**/*.ts}', 'apps/supervisor/{package.json,tsup.config.ts,src/**/*.ts}', 'tools/tsup.ts', 'package-lock.json'], { cwd: root, exclude: ['**/node_modules/**', '**/*.test.ts'] }),
  ].map((file) => modified(join(root, file)));
  return built > Math.max(...sources);
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Builds the executables as they are shipped. */
export function build(root: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'node_modules/.bin/tsup'), ['--silent'], { cwd: join(root, 'apps/supervisor'), stdio: ['ignore', 'pipe', 'pipe'], signal });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
    child.on('error', (cause) => { reject(new DemoError('unavailable', `the supervisor cannot be built: ${cause.message}`, { cause })); });
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new DemoError('unavailable', `the supervisor does not build:\n${said.trim()}`));
    });
  });
}

/** An executable of the supervisor as a process of its own. */
export interface RoleProcess {
  readonly name: string;
  readonly logFile: string;
  /** The end of its log. */
  lastWords(): string;
  /** Ends it in order; after 12 s it is killed. Idempotent. */
  stop(): Promise<void>;
}

export interface RoleOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly reaper: Reaper;
  /** It ended although nobody told it to. */
  readonly onDeath: (error: DemoError) => void;
}

export function startRole({ name, program, args, env, logFile, reaper, onDeath }: RoleOptions): RoleProcess {
  const log = openSync(logFile, 'a', 0o600);
  // In a group of its own: Ctrl-C is for the demo, which ends it in order.
  const child = spawn(program, [...args, '--server-address=127.0.0.1:0'], { env: { ...process.env, ...env }, stdio: ['ignore', log, log], detached: true });
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
    child.once('error', (error) => { end(error.message); });
    child.once('exit', (code, signal) => { end(signal ?? `exit ${String(code)}`); });
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
