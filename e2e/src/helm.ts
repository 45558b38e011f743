import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '@hawser/client';
import { locateProgram } from '../../tools/programs/go-program.ts';
import { helm as program } from '../../tools/programs/programs.ts';
import { root } from './root.js';

export type ChartName = 'konnector' | 'provider' | 'syncagent';
export type Values = Readonly<Record<string, unknown>>;

export interface ReleaseName {
  readonly chart: ChartName;
  readonly name: string;
  readonly namespace: string;
}

/** Helm, as operators use it. Failures are errors with Helm's message. */
export interface Helm {
  lint(chart: ChartName, values?: Values): Promise<string>;
  template(release: ReleaseName, values?: Values): Promise<readonly KubeObject[]>;
  /** Installs or upgrades a release to exactly these values; returns its notes. */
  upgrade(kubeconfigFile: string, release: ReleaseName, values: Values): Promise<string>;
  /** Upgrades with `--reset-then-reuse-values`: this chart's defaults plus the release's former values. */
  upgradeAsItIs(kubeconfigFile: string, release: ReleaseName): Promise<string>;
  /** Installs a chart of another release of Hawser, below this folder. */
  installOf(charts: string, kubeconfigFile: string, release: ReleaseName, values: Values): Promise<string>;
  /** Rolls back to an earlier revision; the first is 1. */
  rollback(kubeconfigFile: string, release: Omit<ReleaseName, 'chart'>, revision: number): Promise<void>;
  uninstall(kubeconfigFile: string, release: Omit<ReleaseName, 'chart'>): Promise<void>;
}

/**
 * Finds Helm on the PATH or in the cache, else builds it once (a minute or two) unless `quick`; or says why there is
 * none.
 */
export async function findHelm({ quick = false } = {}): Promise<
  { readonly helm: Helm } | { readonly missing: string }
> {
  const found = await locateProgram(program, { quick, print: (line) => process.stderr.write(`${line}\n`) });
  return 'missing' in found ? found : { helm: createHelm(found.path) };
}

const execute = promisify(execFile);
/** Kubernetes version for charts rendered without a cluster. */
const KUBERNETES = '1.36.3';

function createHelm(path: string): Helm {
  const call = async (args: readonly string[], values: Values = {}): Promise<string> => {
    const running = execute(path, [...args, '--values=-'], { maxBuffer: 64 * 1024 * 1024 });
    running.child.stdin?.end(JSON.stringify(values));
    return (await running).stdout;
  };
  const charts = join(root, 'charts');
  const folder = (chart: ChartName): string => join(charts, chart);
  return {
    lint: (chart, values) => call(['lint', folder(chart), '--strict', `--kube-version=${KUBERNETES}`], values),
    async template({ chart, name, namespace }, values) {
      const text = await call(
        ['template', name, folder(chart), `--namespace=${namespace}`, `--kube-version=${KUBERNETES}`],
        values,
      );
      return parseAllDocuments(text)
        .map((document) => document.toJS() as KubeObject | null)
        .filter((object) => object !== null);
    },
    upgrade: (kubeconfigFile, release, values) =>
      call(['upgrade', '--install', ...placed(kubeconfigFile, release, charts), '--create-namespace'], values),
    upgradeAsItIs: (kubeconfigFile, release) =>
      call(['upgrade', ...placed(kubeconfigFile, release, charts), '--reset-then-reuse-values']),
    installOf: (folder, kubeconfigFile, release, values) =>
      call(['install', ...placed(kubeconfigFile, release, folder), '--create-namespace'], values),
    async rollback(kubeconfigFile, { name, namespace }, revision) {
      await execute(path, [
        'rollback',
        name,
        String(revision),
        `--kubeconfig=${kubeconfigFile}`,
        `--namespace=${namespace}`,
      ]);
    },
    async uninstall(kubeconfigFile, { name, namespace }) {
      await execute(path, [
        'uninstall',
        name,
        `--kubeconfig=${kubeconfigFile}`,
        `--namespace=${namespace}`,
        '--ignore-not-found',
        '--wait',
      ]);
    },
  };
}

function placed(kubeconfigFile: string, { chart, name, namespace }: ReleaseName, charts: string): readonly string[] {
  return [name, join(charts, chart), `--kubeconfig=${kubeconfigFile}`, `--namespace=${namespace}`];
}
