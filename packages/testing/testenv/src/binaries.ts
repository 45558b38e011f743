import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Program, defaultEtcdVersion, defaultKubernetesVersion, plainVersion, programs } from './platform.js';
import { TestenvError } from './testenv-error.js';

/** The programs of a control plane and where they came from. */
export interface ControlPlaneBinaries {
  readonly kubernetesVersion: string;
  /** Absolute paths. `kube-controller-manager` may be missing. */
  readonly paths: Readonly<Partial<Record<Program, string>>>;
  /** In words, for output. */
  readonly source: string;
}

export interface LocateOptions {
  readonly kubernetesVersion?: string;
  /** Whether kube-controller-manager is needed too. Default false. */
  readonly controllerManager?: boolean;
  readonly print?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** Folder in which binaries are kept between runs. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['HAWSER_CACHE'];
  if (own !== undefined && own !== '') return own;
  const user = env['XDG_CACHE_HOME'];
  return join(user !== undefined && user !== '' ? user : join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache'), 'hawser');
}

/** The programs of one pair of versions. */
export function binariesFolder(kubernetesVersion: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), 'control-plane', `kubernetes-v${plainVersion(kubernetesVersion)}-etcd-v${defaultEtcdVersion}`);
}

export async function locateBinaries(options: LocateOptions = {}): Promise<ControlPlaneBinaries> {
  const env = options.env ?? process.env;
  const version = plainVersion(options.kubernetesVersion ?? defaultKubernetesVersion);
  const folders: string[] = [];
  const assets = env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && assets !== '') folders.push(assets);
  folders.push(binariesFolder(version, env));
  for (const folder of folders) {
    const paths: Partial<Record<Program, string>> = {};
    for (const program of programs) if (existsSync(join(folder, program))) paths[program] = join(folder, program);
    if (paths.etcd !== undefined && paths['kube-apiserver'] !== undefined && paths.kubectl !== undefined) return Promise.resolve({ kubernetesVersion: version, paths, source: folder });
  }
  return Promise.reject(new TestenvError('binaries-unavailable', `no control-plane programs in ${folders.join(', ')}`));
}
