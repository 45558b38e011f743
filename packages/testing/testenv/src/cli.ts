import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { locateBinaries } from './binaries.js';
import { type RunningPair, publishPair, runningPair, stopRunningPair } from './running-pair.js';
import { startControlPlane } from './start.js';
import { TestenvError } from './testenv-error.js';

const usage = `usage: npm run testenv -- <command>
  fetch                 get the programs of a control plane: find, download or build them
  up                    start two control planes, consumer and provider, until Ctrl-C
    --detach            leave them running in the background
    --controller-manager  with garbage collection, namespace deletion and token Secrets
  down                  stop those in the background
options
  --kubernetes-version V  default: the version this package is built around`;

interface Flags {
  readonly detach: boolean;
  readonly controllerManager: boolean;
  readonly kubernetesVersion: string | undefined;
}

async function main(args: readonly string[]): Promise<number> {
  const { command, flags } = read(args);
  switch (command) {
    case 'fetch':
      return await fetchBinaries(flags);
    case 'up':
      return flags.detach ? await upDetached(args) : await up(flags);
    case 'down':
      console.log((await stopRunningPair()) ? 'stopped' : 'nothing is running');
      return 0;
    case 'help':
      console.log(usage);
      return 0;
    default:
      throw new UsageError(`unknown command ${JSON.stringify(command)}; there are: fetch, up, down`);
  }
}

class UsageError extends Error {}

function read(args: readonly string[]): { command: string; flags: Flags } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        detach: { type: 'boolean', default: false },
        'controller-manager': { type: 'boolean', default: false },
        'kubernetes-version': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (positionals.length > 1) throw new UsageError(`one command, not ${positionals.join(' ')}`);
    const [command = 'help'] = positionals;
    return {
      command: values.help ? 'help' : command,
      flags: {
        detach: values.detach,
        controllerManager: values['controller-manager'],
        kubernetesVersion: values['kubernetes-version'],
      },
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const print = (line: string): void => {
  console.log(line);
};

async function fetchBinaries(flags: Flags): Promise<number> {
  const found = await locateBinaries({ ...versionOption(flags), controllerManager: true, print });
  for (const [program, path] of Object.entries(found.paths)) print(`${program}: ${path}`);
  if (found.paths['kube-controller-manager'] !== undefined) return 0;
  console.error('no kube-controller-manager: suites that need it are skipped');
  return 1;
}

async function up(flags: Flags): Promise<number> {
  const running = await runningPair();
  if (running !== undefined) {
    console.error('already running; stop it with: npm run testenv -- down');
    show(running);
    return 1;
  }
  const binaries = await locateBinaries({ ...versionOption(flags), controllerManager: flags.controllerManager, print });
  const started = performance.now();
  const outcomes = await Promise.allSettled(
    ['consumer', 'provider'].map((name) =>
      startControlPlane({ name, binaries, controllerManager: flags.controllerManager }),
    ),
  );
  const pair = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(pair.map((controlPlane) => controlPlane.stop()));
    throw failed.reason;
  }
  const asked = Promise.withResolvers<'stop'>();
  const stop = (): void => {
    asked.resolve('stop');
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const published = await publishPair(pair, stop);
  print(`ready after ${((performance.now() - started) / 1000).toFixed(1)} s; Kubernetes ${binaries.kubernetesVersion}`);
  show(published.pair);
  print('Ctrl-C stops them');
  await asked.promise;
  await Promise.all(pair.map((controlPlane) => controlPlane.stop()));
  await published.close();
  print('stopped');
  return 0;
}

/** Starts this program again in the background, and waits until the control planes are ready. */
async function upDetached(args: readonly string[]): Promise<number> {
  const running = await runningPair();
  if (running !== undefined) {
    print('already running');
    show(running);
    return 0;
  }
  const logFile = join(tmpdir(), `hawser-testenv-up-${process.pid}.log`);
  const log = await open(logFile, 'w', 0o600);
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, script, ...args.filter((arg) => arg !== '--detach')], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const ending = new AbortController();
  for (const event of ['exit', 'error'])
    child.once(event, () => {
      ending.abort();
    });
  for (let shown = 0; ;) {
    await delay(200);
    const text = await readFile(logFile, 'utf8');
    const fresh = text.slice(shown, text.lastIndexOf('\n') + 1);
    shown += fresh.length;
    const ready = await runningPair();
    if (ready !== undefined) {
      show(ready);
      print(`log: ${logFile}`);
      print('stop them with: npm run testenv -- down');
      child.unref();
      return 0;
    }
    if (fresh !== '') process.stdout.write(fresh);
    if (ending.signal.aborted) {
      process.stderr.write(text.slice(shown));
      return 1;
    }
  }
}

function show(pair: RunningPair): void {
  for (const [name, file] of Object.entries(pair.kubeconfigs)) print(`${name.padEnd(8)} KUBECONFIG=${file}`);
}

function versionOption(flags: Flags): { kubernetesVersion?: string } {
  return flags.kubernetesVersion === undefined ? {} : { kubernetesVersion: flags.kubernetesVersion };
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const wrongUse = error instanceof UsageError || error instanceof RangeError;
  console.error(error instanceof TestenvError || wrongUse ? error.message : error);
  process.exitCode = wrongUse ? 2 : 1;
}
