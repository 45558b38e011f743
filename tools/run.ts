// Runs child processes for every stage: own process group, a time limit, nothing left behind.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './workspace.ts';

/** How a command ended, and its output if captured. */
export interface Outcome {
  readonly ok: boolean;
  /** `exit 1`, `killed by SIGKILL`, `stopped after 600 s`. */
  readonly how: string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Return the output instead of passing it on. Default false. */
  readonly capture?: boolean;
  /** Run at low priority, and pass the output on in one piece at the end. Default false. */
  readonly behind?: boolean;
  /** Kills the whole process group after this time. Default 30 min. */
  readonly timeoutMs?: number;
}

const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const pid of running) killGroup(pid, 'SIGTERM');
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

/** Runs a program without a shell, its stdin closed, the workspace's own programs first on the PATH. Never rejects. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { cwd = root, env = {}, behind = false, timeoutMs = 30 * 60_000 } = options;
  const capture = options.capture === true || behind;
  return new Promise((resolve) => {
    const child = spawn(behind ? 'nice' : command, behind ? ['-n', '10', command, ...args] : args, {
      cwd,
      detached: true,
      env: {
        ...process.env,
        NX_DAEMON: 'false',
        PATH: [join(root, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
        ...env,
      },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    });
    const written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let late = false;
    child.stdout?.on('data', (chunk: Buffer) => written.stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => written.stderr.push(chunk));
    const timer = setTimeout(() => {
      late = true;
      if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
    }, timeoutMs);
    const finish = (ok: boolean, how: string): void => {
      clearTimeout(timer);
      if (child.pid !== undefined) {
        running.delete(child.pid);
        // Remains of the command's group would hold ports and memory of later stages.
        killGroup(child.pid, 'SIGKILL');
      }
      const texts = {
        stdout: Buffer.concat(written.stdout).toString('utf8'),
        stderr: Buffer.concat(written.stderr).toString('utf8'),
      };
      if (behind && options.capture !== true) {
        process.stdout.write(texts.stdout);
        process.stderr.write(texts.stderr);
      }
      resolve({ ok, how, ...texts });
    };
    if (child.pid !== undefined) running.add(child.pid);
    child.on('error', (error) => {
      finish(false, error.message);
    });
    child.on(capture ? 'close' : 'exit', (code: number | null, signal: NodeJS.Signals | null) => {
      if (late) finish(false, `stopped after ${(timeoutMs / 1000).toFixed(0)} s`);
      else finish(code === 0, signal === null ? `exit ${code ?? 'unknown'}` : `killed by ${signal}`);
    });
  });
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs a program that must succeed; returns its standard output. */
export async function must(
  program: string,
  args: readonly string[],
  options: Omit<RunOptions, 'capture'> = {},
): Promise<string> {
  const { ok, how, stdout, stderr } = await run(program, args, { ...options, capture: true });
  if (!ok) throw new Error(`${program} ${args.join(' ')}: ${how}\n${stdout}${stderr}`);
  return stdout;
}
