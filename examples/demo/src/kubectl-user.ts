import { spawn } from 'node:child_process';
import { reasonOf } from './cluster.js';
import { DemoError } from './demo-error.js';
import { databaseManifest, names } from './names.js';
import type { Deed, User } from './user.js';

export interface KubectlOptions {
  readonly program: string;
  readonly kubeconfigFile: string;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
}

/** A user of kubectl; failures carry kubectl's message. */
export function kubectlUser({ program, kubeconfigFile, cacheFolder, signal }: KubectlOptions): User {
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run(program, [`--kubeconfig=${kubeconfigFile}`, `--cache-dir=${cacheFolder}`, ...args], input, signal);
  const deed = (args: readonly string[], remark = '', input?: string): Deed => ({
    text: `$ kubectl ${args.join(' ')}${remark}`,
    carryOut: async () => {
      await kubectl(args, input);
    },
  });
  return {
    apply: (database) =>
      deed(
        ['apply', '--server-side', '--validate=false', '-f', '-'],
        `  # ${database.name}, size ${database.size}`,
        JSON.stringify(databaseManifest(database)),
      ),
    label: (name, key, value) =>
      deed(['label', 'database', name, `${key}=${value}`, '--overwrite', '-n', names.userNamespace]),
    remove: (name) => deed(['delete', 'database', name, '-n', names.userNamespace]),
    async look({ resources, namespace, labels = false }) {
      const args = [
        'get',
        resources.map(({ resource }) => resource).join(','),
        ...(namespace === undefined ? [] : ['-n', namespace]),
        ...(labels ? ['--show-labels'] : []),
      ];
      return { title: `$ kubectl ${args.join(' ')}`, text: await kubectl(args) };
    },
  };
}

function run(
  command: string,
  args: readonly string[],
  input: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
    let out = '';
    let error = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      error += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('error', (cause) => {
      reject(
        signal.aborted
          ? reasonOf(signal)
          : new DemoError('failed', `cannot run ${command}: ${cause.message}`, { cause }),
      );
    });
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else
        reject(
          new DemoError('failed', `kubectl ${args.slice(2).join(' ')}: ${error.trim() || `exit ${String(code)}`}`),
        );
    });
  });
}
