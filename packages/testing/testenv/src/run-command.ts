import { spawn } from 'node:child_process';
import { TestenvError } from './testenv-error.js';

export interface CommandOptions {
  /** Written to the program's standard input, which is then closed. */
  readonly input?: string;
  readonly cwd?: string;
  /** The whole environment of the program; default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with each line that the program writes to standard error, as it comes. */
  readonly onErrorLine?: (line: string) => void;
  /** The program is killed after this many milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Runs a program to its end and returns its standard output.
 * @throws TestenvError `command-failed` with the end of its output if it cannot start or exits other than 0.
 */
export function runCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
    });
    const output: Buffer[] = [];
    const errors = lineBuffer(options.onErrorLine);
    child.stdout.on('data', (chunk: Buffer) => {
      output.push(chunk);
    });
    child.stderr.on('data', errors.push);
    child.stdin.on('error', () => {
      /* the program ended before it read everything: its exit code says why */
    });
    child.stdin.end(options.input ?? '');
    child.on('error', (cause) => {
      reject(new TestenvError('command-failed', `cannot run ${command}: ${cause.message}`, { cause }));
    });
    child.on('close', (code, signal) => {
      const stdout = Buffer.concat(output).toString('utf8');
      if (code === 0) {
        resolve(stdout);
        return;
      }
      const words = errors.tail() || stdout.trim().slice(-2000);
      reject(
        new TestenvError(
          'command-failed',
          `${[command, ...args].join(' ')}: ${signal ?? `exit ${code ?? '?'}`}: ${words}`,
        ),
      );
    });
  });
}

/** Splits a byte stream into lines, and keeps the last few for an error message. */
function lineBuffer(onLine?: (line: string) => void): { push: (chunk: Buffer) => void; tail: () => string } {
  const last: string[] = [];
  let rest = '';
  return {
    push(chunk) {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        last.push(line);
        if (last.length > 30) last.shift();
        onLine?.(line);
      }
    },
    tail: () => [...last, rest].join('\n').trim(),
  };
}
