import { execFile } from 'node:child_process';

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the program under test to its end, with no answer to its questions. */
export function runCommand(command: string, args: readonly string[], timeoutMs = 120_000): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, [...args], { timeout: timeoutMs }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
    });
    child.stdin?.end();
  });
}
