import type { Task } from '../task.js';

/** Output of a command, line by line, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command on the cluster of a kubeconfig file, as from a terminal without a person. */
export async function runRead(
  read: (args: readonly string[]) => Task | string,
  kubeconfigFile: string,
  ...args: readonly string[]
): Promise<Ran> {
  const output = { out: '', err: '' };
  const task = read([...args, '--kubeconfig', kubeconfigFile]);
  if (typeof task === 'string') return { code: 2, out: task, err: '' };
  const code = await task({
    out: (text) => {
      output.out += `${text}\n`;
    },
    err: (text) => {
      output.err += `${text}\n`;
    },
    ask: () => Promise.resolve(undefined),
    env: {},
    signal: new AbortController().signal,
  });
  return { code, ...output };
}
