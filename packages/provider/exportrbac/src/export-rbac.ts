import { type Controller, createController, WriteBudget } from '@hawser/controller';
import { controllerName, type Dialect } from '@hawser/kube-bind';
import { BackendRemoval } from './backend-removal.js';
import { ConsumerRights } from './consumer-rights.js';
import { type NamespaceRights, PendingNamespaces } from './namespace-rights.js';
import type { ClusterReads, Settings } from './observed.js';
import { RightsCaches } from './rights-caches.js';
import { SettledConsumers } from './settled-consumers.js';
import { OnceReporter } from './once-reporter.js';
import { BACKEND, wakeBackend, wakeConsumers } from './wake-consumers.js';

export interface ExportRbacOptions {
  /** Dialect of the exports. */
  readonly dialect: Dialect;
  /**
   * How consumers read resources that a konnector lists in the whole cluster: cluster-scoped ones, and isolation
   * Namespaced. Default `refused`: such a resource gets no right, and its export a condition.
   */
  readonly clusterReads?: ClusterReads | undefined;
  /** Consumers processed in parallel. Default 4. */
  readonly concurrency?: number | undefined;
}

export interface ExportRbac {
  readonly controller: Controller<'provider'>;
  /** For the controller that assigns namespaces. Works while this one runs. */
  readonly rights: NamespaceRights;
}

/**
 * Grants each consumer the rights for its exports and namespaces, and withdraws unneeded ones
 * (spec/kube-bind-backend.md §9.4, §10.5).
 *
 * Each consumer has its own bindings to ClusterRoles that the operator created. The condition `RightsGranted` of the
 * export reports missing rights. The Go backend's shared rights go once every consumer has its own.
 */
export function createExportRbac(options: ExportRbacOptions): ExportRbac {
  const { dialect, clusterReads = 'refused', concurrency = 4 } = options;
  const name = controllerName('exportrbac', dialect);
  const settings: Settings = { dialect, clusterReads };
  const pending = new PendingNamespaces();
  const controller = createController<'provider'>(name, async (ctx, scope) => {
    const caches = new RightsCaches(ctx.clusters.provider, scope, dialect);
    const settled = new SettledConsumers(() => {
      shared.add(BACKEND);
    });
    const parts = {
      dialect,
      settings,
      ctx,
      caches,
      pending,
      settled,
      reporter: new OnceReporter(ctx),
      budget: new WriteBudget(),
    };
    const rights = new ConsumerRights(parts);
    const removal = new BackendRemoval(parts);
    const consumers = scope.openQueue({ name, concurrency, reconcile: (key, signal) => rights.reconcile(key, signal) });
    const shared = scope.openQueue({
      name: `${name}-backend`,
      concurrency: 1,
      reconcile: (_, signal) => removal.reconcile(signal),
    });
    scope.own(pending).begin(consumers);
    wakeConsumers(scope, consumers, dialect, caches);
    wakeBackend(scope, shared, dialect, caches);
    await caches.filled(scope);
  });
  return { controller, rights: pending };
}
