import { type Controller, type Reconciler, type Setup, controller } from '@hawser/controller';
import { type ProviderConnection, fillInformers } from '@hawser/konnector-connection';
import { Actor } from './act.js';
import { type Decision, decide } from './decide.js';
import { bindingKey } from './keys.js';
import { LifecycleCaches } from './lifecycle-caches.js';
import { MadeNamespaces } from './made-namespaces.js';
import { Observer } from './observe.js';
import type { Observed } from './observed.js';
import { Reports } from './reports.js';

export interface NamespaceLifecycleOptions {
  readonly connection: ProviderConnection;
  /** The konnector's own namespaces on the consumer: no provider may request them. */
  readonly ownNamespaces?: readonly string[] | undefined;
  /** Maximum number of consumer namespaces per provider. Default 100. */
  readonly maxNamespaces?: number | undefined;
  /** Retry period for objects kept for the provider, in milliseconds. Default 60 000. */
  readonly lookAgainMs?: number | undefined;
  /** How long to gather problems before writing the bindings' conditions, in milliseconds. Default 2 000. */
  readonly reportDelayMs?: number | undefined;
}

/**
 * Keeps the namespaces of one connection in step (spec/konnector.md §7.3). Creates consumer namespaces that the
 * provider requests. Deletes an APIServiceNamespace, to inform the provider, once its consumer namespace is proven
 * gone. Never deletes a namespace of the consumer.
 *
 * Watches namespaces, metadata only, once an APIServiceNamespace exists; namespaces without one cause no work.
 */
export function createNamespaceLifecycle(options: NamespaceLifecycleOptions): Controller<'consumer' | 'provider'> {
  const { connection, reportDelayMs = 2_000 } = options;
  return controller('namespacelifecycle', (setup: Setup<'consumer' | 'provider'>): Reconciler<Observed, Decision> => {
    const reports = new Reports(connection.bindings, (binding) => {
      setup.look(bindingKey(binding), { priority: 'normal', afterMs: reportDelayMs });
    });
    const caches = new LifecycleCaches(setup, connection, reports);
    const made = new MadeNamespaces();
    const observer = new Observer({ setup, options, caches, reports, made });
    const actor = new Actor({ setup, caches, reports, made });
    return {
      concurrency: 2,
      filled: (signal) => fillInformers([caches.bindings, caches.requests, caches.exports], signal),
      initial: () => reports.begin(caches.requests.list()),
      observe: (key, signal) => observer.observe(key, signal),
      lastLook: (observed) => observer.counted(observed),
      decide,
      decided: (_, observed, decision) => {
        reports.follow(observed, decision);
      },
      act: (action, signal) => actor.act(action, signal),
    };
  });
}
