import { type Controller, createController } from '@hawser/controller';
import type { ProviderConnection } from '@hawser/konnector-connection';

import { RunningBundles } from './running-bundles.js';

export interface ServiceBindingBundleOptions {
  readonly connection: ProviderConnection;
  /** Period for listing exports where the provider refuses the watch, in milliseconds. Default 15 000. */
  readonly pollMs?: number | undefined;
  /** Time an export must be missing before its deletion is investigated, in milliseconds. Default 10 000. */
  readonly removalDelayMs?: number | undefined;
  /** Bindings with objects deleted per minute after a witnessed export deletion; more need approval. Default 10. */
  readonly withdrawalsPerMinute?: number | undefined;
}

/** The controller of a connection's bundles. */
export interface ServiceBindingBundleController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight for a bundle that this connection no longer serves. */
  released(bundle: string): Promise<void>;
}

const name = 'servicebindingbundle';

/**
 * Binds every export of one kubeconfig (spec/konnector.md §6.3). Creates one APIServiceBinding per APIServiceExport for
 * each APIServiceBindingBundle of the connection, and reports `Synced`.
 *
 * Reports a binding that the bundle does not own, and never touches it. Deletes an owned binding only if live reads
 * prove its export deleted. One with objects also needs a witnessed deletion, a few at a time, or a person's approval.
 */
export function createServiceBindingBundle(options: ServiceBindingBundleOptions): ServiceBindingBundleController {
  let running: RunningBundles | undefined;
  const controller = createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    running = new RunningBundles(options, name, ctx, scope);
    await running.fill();
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    // Leaving stops queued work at once; work in flight is awaited.
    released: () => running?.settled() ?? Promise.resolve(),
  };
}
