import { type Program, startProgram, working } from './program.js';
import { executables } from './roles.js';
import type { System } from './system.js';

type BackendParts = Pick<System, 'provider' | 'folder' | 'watchdog'>;

export interface BackendOptions {
  readonly args: readonly string[];
  /** Default: an administrator of the provider cluster. */
  readonly kubeconfig?: string;
  /** Listen address, `host:port`. Default: a free port. */
  readonly address?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the program in place of the Go backend, as if in namespace `hawser`. */
export function startBackend(
  { provider, folder, watchdog }: BackendParts,
  { args, kubeconfig = provider.kubeconfigFile, address, env = {} }: BackendOptions,
): Promise<Program> {
  return startProgram({
    name: 'backend',
    command: executables.backend,
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--namespace-prefix=kube-bind-',
      `--external-address=${provider.podsConnection.server}`,
      ...args,
    ],
    addressFlag: '--listen-address',
    ...(address === undefined ? {} : { address }),
    env: { POD_NAME: 'backend', POD_NAMESPACE: 'hawser', ...env },
    folder,
    watchdog,
  });
}

/** Starts it without a front end and waits until it works. */
export async function startBackendAlone(
  parts: BackendParts,
  { args = [], ...rest }: Partial<BackendOptions> = {},
): Promise<Program> {
  const backend = await startBackend(parts, { ...rest, args: ['--frontend-disabled', ...args] });
  await working(backend, 'provider works', 120_000);
  return backend;
}
