import { type Controller, createController } from '@hawser/controller';
import type { ProviderConnection } from '@hawser/konnector-connection';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';

import { RunningClusterBinding } from './running-clusterbinding.js';

export interface ClusterBindingOptions {
  readonly connection: ProviderConnection;
  /** Version of the konnector: a release (`v0.8.1`), or a build's version string (spec/konnector.md §2.2). */
  readonly version: string;
  /** What a kubeconfig may contain. A kubeconfig of the provider that it refuses is not copied. Default: nothing but what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** What is reported as heartbeatInterval; a heartbeat is written after at most half of it. Default 5 min, as the peers have it. */
  readonly heartbeatIntervalMs?: number | undefined;
}

const name = 'clusterbinding';

/**
 * Keeps one provider connection alive (spec/konnector.md §7.2): reports heartbeat, version and Secret on the provider's ClusterBinding, copies the
 * provider's kubeconfig Secret to the consumer's when it differs, and tells on every APIServiceBinding of the connection whether the reports arrive.
 */
export function createClusterBinding(options: ClusterBindingOptions): Controller<'consumer' | 'provider'> {
  const { heartbeatIntervalMs = 300_000 } = options;
  if (!(heartbeatIntervalMs > 0))
    throw new RangeError(`heartbeatIntervalMs must be above 0, not ${heartbeatIntervalMs}`);
  return createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    await new RunningClusterBinding({ ...options, heartbeatIntervalMs }, name, ctx, scope).fill();
  });
}
