import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

import { eventually } from '@hawser/testenv';

/** CPU time in milliseconds, in the process's own code and in the kernel on its behalf. */
export interface Cpu {
  readonly user: number;
  readonly system: number;
  readonly total: number;
}

/** A process that is measured from outside. */
export interface Subject {
  readonly name: string;
  readonly pid: number;
  /** CPU used so far, in milliseconds. */
  cpu(): Cpu;
  rssBytes(): number;
  /** TCP sockets that are open. */
  sockets(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const TICKS_PER_SECOND = 100;

export function startSubject(
  name: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
): Subject {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  // No process outlives the bench, however it ends.
  const orphaned = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', orphaned);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  return {
    name,
    pid,
    cpu() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const ms = (field: number): number => (Number(fields[field]) * 1_000) / TICKS_PER_SECOND;
      return { user: ms(11), system: ms(12), total: ms(11) + ms(12) };
    },
    rssBytes: () =>
      Number(/^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1_024,
    sockets: () => readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(pid, fd)).length,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      process.off('exit', orphaned);
    },
  };
}

function isSocket(pid: number, fd: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
  } catch {
    // Closed since the folder was read.
    return false;
  }
}

/** The provider role: assigns namespaces and answers export requests. */
export function startProvider(folder: string, root: string, profile?: string): Subject {
  const args = [
    'run',
    '--roles=provider',
    '--provider-request-admission=Exported',
    '--server-address=127.0.0.1:0',
    `--provider-kubeconfig=${join(folder, 'provider.kubeconfig')}`,
  ];
  return startSubject(
    'provider',
    join(root, 'apps/supervisor/bin/hawser'),
    args,
    { POD_NAME: 'bench', ...profiling(profile) },
    join(folder, 'provider.log'),
  );
}

/** The bare loop, with Node's defaults. Resolves when its caches are filled. */
export async function startReference(folder: string, root: string, profile: string | undefined): Promise<Subject> {
  const env = profiling(profile);
  const log = join(folder, `reference-${Date.now()}.log`);
  const subject = startSubject(
    'reference',
    process.execPath,
    [join(root, 'bench/dist/bare-loop.js'), join(folder, 'reference.json')],
    env,
    log,
  );
  await eventually(() => readFileSync(log, 'utf8').startsWith('ready'), { timeoutMs: 30_000 });
  return subject;
}

/** Environment that makes Node write a CPU profile into that folder at its end. */
export function profiling(folder: string | undefined): Readonly<Record<string, string>> {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}
