import { type Controller, createController } from '@hawser/controller';
import type { ProviderConnection } from '@hawser/konnector-connection';

import { RunningBundles } from './running-bundles.js';

export interface ServiceBindingBundleOptions {
  readonly connection: ProviderConnection;
  /** How often exports are listed where the provider does not let them be watched, in milliseconds. Default 15 000. */
  readonly pollMs?: number | undefined;
  /** How long an export has to be missing before its deletion is looked into, in milliseconds. Default 10 000. */
  readonly removalDelayMs?: number | undefined;
  /** Bindings with objects that may be deleted within a minute, for exports that were seen to go; more wait for a person. Default 10. */
  readonly withdrawalsPerMinute?: number | undefined;
}

/** The controller of a connection's bundles. */
export interface ServiceBindingBundleController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight any more for a bundle that this connection no longer serves. */
  released(bundle: string): Promise<void>;
}

const name = 'servicebindingbundle';

/**
 * Binds everything that is exported to one kubeconfig (spec/konnector.md §6.3): for each APIServiceBindingBundle of the connection one APIServiceBinding per
 * APIServiceExport, and the condition `Synced`.
 *
 * A binding that is not the bundle's is never touched, and reported. A binding of the bundle is deleted only if its export is proven deleted by live reads; one with objects only if the
 * deletion was seen, and a few at a time, or if a person has approved it.
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
    // Leaving takes effect at once for what has not begun; what has begun is waited for.
    released: () => running?.settled() ?? Promise.resolve(),
  };
}
