import type { BackoffOptions } from '@hawser/clock';
import { type Controller, createController } from '@hawser/controller';
import type { SecretKeyRef } from '@hawser/konnector-connection';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import type { ConnectionState } from './connections.js';
import type { StartSet } from './controller-set.js';
import { RunningKonnector } from './running-konnector.js';

export interface KonnectorMainOptions {
  /** Makes the controllers of a connection. */
  readonly startSet: StartSet;
  /** What a kubeconfig in a Secret may contain. Default: nothing but what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** How long the caches of a connection may take to fill. Default 150 s, half the heartbeat interval (spec/konnector.md §7.1). */
  readonly prepareTimeoutMs?: number | undefined;
  /** Between tries of a connection that fails. Default 1 s to 2 min. */
  readonly backoff?: BackoffOptions | undefined;
  /** Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names, so that the provider hears of us early. Default true. */
  readonly labelledSecrets?: boolean | undefined;
  /** Whether there are APIServiceBindingBundles to be connected for. Default true. */
  readonly bundles?: boolean | undefined;
  /**
   * Whether this process serves the bindings, bundles and labelled Secrets of that Secret; undefined stands for bindings that name none. May change: then
   * {@link KonnectorMain.settle} has to be called. Of what it does not serve, it reads and writes nothing. Default: everything.
   */
  readonly serves?: ((secret: SecretKeyRef | undefined) => boolean) | undefined;
}

/** The top of the konnector. */
export interface KonnectorMain extends Controller<'consumer'> {
  /** The connections as they are now. */
  readonly connections: readonly ConnectionState[];
  /** `serves` says something new: begins with what has come, and resolves when nothing of what has gone is in flight any more. */
  settle(): Promise<void>;
}

const name = 'konnector';

/**
 * Runs one controller set per provider kubeconfig (spec/konnector.md §6.1, §6.2): watches the APIServiceBindings of the consumer and the Secrets that
 * they name, and only those; bindings whose Secrets hold the same bytes share a set; the last one that leaves stops it. Reports `SecretValid` and
 * `InformersSynced` on each binding.
 *
 * A changed kubeconfig is tried before it is used; the old connection goes on until the new one is ready, and has ended before the new one writes.
 * A Secret that is missing or unusable stops nothing.
 *
 * Each binding and bundle is bound to the clusters that it was connected to first: a kubeconfig that leads to another provider, and a binding that was copied
 * into another consumer cluster, are not served until a person accepts that.
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
