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
  /** Namespaces of the konnector on the consumer: no provider may have one of these made. */
  readonly ownNamespaces?: readonly string[] | undefined;
  /** How many namespaces the provider may have made on the consumer. Default 100. */
  readonly maxNamespaces?: number | undefined;
  /** When to look again at what is kept for the provider's sake, in milliseconds. Default 60 000. */
  readonly lookAgainMs?: number | undefined;
  /** How long problems are gathered before the bindings' conditions are written, in milliseconds. Default 2 000. */
  readonly reportDelayMs?: number | undefined;
}

/**
 * Keeps the namespaces of one connection in step (spec/konnector.md §7.3): makes those on the consumer that the provider asks for, and lets the provider know
 * when one of the consumer's is gone by deleting its APIServiceNamespace, once that is proven. Never deletes a namespace of the consumer.
 *
 * Namespaces are watched, without their contents, once there is an APIServiceNamespace; those without one cause no work.
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
