import { messageOf } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { loadKubeconfig } from '@hawser/kubeconfig';

import { ConfigError } from '@hawser/config';
import type { ProcessContext } from './process-context.js';

/**
 * The connection to this process's own cluster: from a file, KUBECONFIG, the home file, or the cluster that it runs in.
 */
export async function ownConnection(
  from: { readonly kubeconfig: string; readonly context: string },
  context: ProcessContext,
): Promise<() => ConnectionConfig> {
  const { network } = context;
  if (network !== undefined) return () => network.ownConnection(from.kubeconfig);
  try {
    const loaded = await loadKubeconfig({
      ...(from.kubeconfig === '' ? {} : { file: from.kubeconfig }),
      ...(from.context === '' ? {} : { context: from.context }),
      env: context.env,
      clock: context.clock,
    });
    return () => loaded;
  } catch (error) {
    throw new ConfigError(`kubeconfig${from.kubeconfig === '' ? '' : ` ${from.kubeconfig}`}: ${messageOf(error)}`);
  }
}
