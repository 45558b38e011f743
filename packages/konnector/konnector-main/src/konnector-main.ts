import type { BackoffOptions } from '@hawser/clock';
import { type Controller, createController } from '@hawser/controller';
import type { SecretKeyRef } from '@hawser/konnector-connection';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import type { ConnectionState } from './connections.js';
import type { StartSet } from './controller-set.js';
import { RunningKonnector } from './running-konnector.js';

export interface KonnectorMainOptions {
  /** Creates the controllers of a connection. */
  readonly startSet: StartSet;
  /** Allowed kubeconfig content in a Secret. Default: only what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /**
   * Time for the caches of a connection to fill. Default 150 s, half the heartbeat interval (spec/konnector.md §7.1).
   */
  readonly prepareTimeoutMs?: number | undefined;
  /** Between tries of a failing connection. Default 1 s to 2 min. */
  readonly backoff?: BackoffOptions | undefined;
  /**
   * Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names: the provider then
   * gets heartbeats early. Default true.
   */
  readonly labelledSecrets?: boolean | undefined;
  /** Whether to connect for APIServiceBindingBundles. Default true. */
  readonly bundles?: boolean | undefined;
  /**
   * Whether this process serves the bindings, bundles and labelled Secrets of that Secret; undefined stands for
   * bindings that name none. After a change call {@link KonnectorMain.settle}. Nothing unserved is read or written.
   * Default: everything.
   */
  readonly serves?: ((secret: SecretKeyRef | undefined) => boolean) | undefined;
}

/** The top-level controller of the konnector. */
export interface KonnectorMain extends Controller<'consumer'> {
  /** The current connections. */
  readonly connections: readonly ConnectionState[];
  /** Applies a changed `serves`: starts serving new members, and resolves when nothing of removed ones is in flight. */
  settle(): Promise<void>;
}

const name = 'konnector';

/**
 * Runs one controller set per provider kubeconfig (spec/konnector.md §6.1, §6.2). Watches only the consumer's
 * APIServiceBindings and the Secrets that they name. Bindings whose Secrets hold the same bytes share a set; the last
 * one to leave stops it. Reports `SecretValid` and `InformersSynced` on each binding.
 *
 * Tries a changed kubeconfig before its use: the old connection runs until the new one is ready, and ends before the
 * new one writes. A missing or unusable Secret stops nothing.
 *
 * Binds each binding and bundle to the clusters of its first connection. A kubeconfig for another provider, or a
 * binding copied into another consumer cluster, is not served until a person accepts that.
 */
export function createKonnectorMain(options: KonnectorMainOptions): KonnectorMain {
  let running: RunningKonnector | undefined;
  const controller = createController<'consumer'>(name, async (ctx, scope) => {
    running = new RunningKonnector(options, name, ctx, scope);
    await running.fill();
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    get connections() {
      return running?.connections ?? [];
    },
    settle: () => running?.settle() ?? Promise.resolve(),
  };
}
