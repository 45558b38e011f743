import { type Controller, createController } from '@hawser/controller';
import type { ProviderConnection } from '@hawser/konnector-connection';
import { RunningLifecycle } from './running-lifecycle.js';

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

const name = 'namespacelifecycle';

/**
 * Keeps the namespaces of one connection in step (spec/konnector.md §7.3): makes those on the consumer that the provider asks for, and lets the provider know
 * when one of the consumer's is gone by deleting its APIServiceNamespace, once that is proven. Never deletes a namespace of the consumer.
 *
 * Namespaces are watched, without their contents, once there is an APIServiceNamespace; those without one cause no work.
 */
export function createNamespaceLifecycle(options: NamespaceLifecycleOptions): Controller<'consumer' | 'provider'> {
  return createController<'consumer' | 'provider'>(name, (ctx, scope) =>
    new RunningLifecycle(options, name, ctx, scope).fill(),
  );
}
