import { messageOf } from '@hawser/client';
import { readFile } from 'node:fs/promises';

import { WorkspaceURLError, workspaceOfURL } from '@hawser/kcp-api';
import { type ConnectionConfig, followKubeconfig } from '@hawser/kubeconfig';

import { type Config, ConfigError } from '@hawser/config';
import { ownConnection, type ProcessContext } from '@hawser/commands';

/** The service cluster of agents. @throws ConfigError */
export async function serviceConnection(
  config: Config['syncagent'],
  context: ProcessContext,
): Promise<() => ConnectionConfig> {
  const own = await ownConnection(config, context);
  const { hostOverride, caFileOverride } = config;
  if (hostOverride === '' && caFileOverride === '') return own;
  const caData =
    caFileOverride === ''
      ? undefined
      : await readFile(caFileOverride, 'utf8').catch(() => {
          throw new ConfigError(`kubeconfig-ca-file-override: ${caFileOverride} cannot be read`);
        });
  // Getters of the original stay getters: they follow the files named by a kubeconfig.
  return () =>
    Object.create(own(), {
      ...(hostOverride === '' ? {} : { server: { value: hostOverride, enumerable: true } }),
      ...(caData === undefined ? {} : { caData: { value: caData, enumerable: true } }),
    }) as ConnectionConfig;
}

/**
 * The kcp of an agent; follows replacements of its kubeconfig.
 * @throws ConfigError
 */
export async function kcpConnection(file: string, context: ProcessContext): Promise<() => ConnectionConfig> {
  const { network, logger } = context;
  if (network !== undefined) return () => network.ownConnection(file);
  const current = await followKubeconfig({
    file,
    env: context.env,
    clock: context.clock,
    onChange: (problem) => {
      if (problem === undefined) logger.info('the kcp kubeconfig was replaced, and is used from now on');
      else
        logger.error('the kcp kubeconfig was replaced, and cannot be used; the one before it still is', {
          error: problem,
        });
    },
  }).catch((error: unknown) => {
    throw new ConfigError(`kcp kubeconfig: ${messageOf(error)}`);
  });
  try {
    workspaceOfURL(current().server);
  } catch (error) {
    throw error instanceof WorkspaceURLError ? new ConfigError(`kcp kubeconfig ${file}: ${error.message}`) : error;
  }
  return current;
}
