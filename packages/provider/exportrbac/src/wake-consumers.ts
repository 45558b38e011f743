import type { KubeObject } from '@hawser/client';
import { generationChanged, type Queue, type Scope } from '@hawser/controller';
import { equal } from '@hawser/json';
import { isClusterNamespace } from '@hawser/klutch';
import { type APIServiceNamespace, type Dialect, isWithdrawn } from '@hawser/kube-bind';
import { isBackendBindingName, isBackendRoleName } from './backend-rights.js';
import type { ExportObject } from './export-object.js';
import type { BindingObject } from './rbac-objects.js';
import { concernsRights } from './request-rights.js';
import { consumersOfBinding, prefixes, type RightsCaches } from './rights-caches.js';

/** Key for the rights that another backend granted. */
export const BACKEND = 'backend';

const ofConsumer = ({ metadata }: KubeObject): string => metadata.namespace ?? '';

/** Queues consumers when their rights' input changes. The keys are cluster namespaces. */
export function wakeConsumers(scope: Scope, queue: Queue, dialect: Dialect, caches: RightsCaches): void {
  const ofBinding = (binding: BindingObject): readonly string[] => consumersOfBinding(dialect, binding);
  const all = (): readonly string[] => [...caches.consumers()];
  // Each schema change alters an annotation, which grants no rights.
  scope.watch(caches.exports, queue, ofConsumer, { changed: (before, after) => !sameForRights(before, after) });
  if (caches.boundSchemas !== undefined)
    scope.watch(caches.boundSchemas, queue, ofConsumer, {
      // Neither a konnector's status writes nor the schema of an object grants rights.
      changed: ({ spec: before }, { spec: after }) =>
        before?.scope !== after?.scope || before?.informerScope !== after?.informerScope,
    });
  scope.watch(
    caches.requests,
    queue,
    (request, change) => (change !== 'delete' && concernsRights(request) ? ofConsumer(request) : undefined),
    { changed: (before, after) => !equal(before.status, after.status) },
  );
  scope.watch(caches.serviceNamespaces, queue, (one) => [ofConsumer(one), ...othersWith(caches, one)]);
  scope.watch(caches.namespaces, queue, (namespace) => ofNamespace(caches, namespace));
  scope.watch(caches.roles, queue, ({ metadata }) =>
    metadata.name.startsWith(`${dialect.names.binder}:`) ? all() : undefined,
  );
  scope.watch(caches.roleBindings, queue, ofBinding);
  scope.watch(caches.clusterRoleBindings, queue, ofBinding);
  scope.watch(caches.policies, queue, all);
  scope.watch(caches.policyBindings, queue, all);
}

/** Queues {@link BACKEND} when another backend's grants change, or when an awaited consumer goes. */
export function wakeBackend(scope: Scope, queue: Queue, dialect: Dialect, caches: RightsCaches): void {
  const ofBinding = ({ metadata }: BindingObject): string | undefined =>
    isBackendBindingName(dialect, metadata.name) ? BACKEND : undefined;
  scope.watch(caches.exports, queue, (_, change) => (change === 'delete' ? BACKEND : undefined));
  scope.watch(caches.roles, queue, (role) => (isBackendRoleName(dialect, role) ? BACKEND : undefined));
  scope.watch(caches.roleBindings, queue, ofBinding);
  scope.watch(caches.clusterRoleBindings, queue, ofBinding);
}

/** Consumers with the same namespace. If one releases it, another may have it alone from then on. */
function othersWith(caches: RightsCaches, { status }: APIServiceNamespace): readonly string[] {
  return caches.assignedTo(status?.namespace ?? '').map(ofConsumer);
}

/** Consumers that have the namespace, own it as cluster namespace, or whose prefix its name begins with. */
function ofNamespace(caches: RightsCaches, namespace: KubeObject): readonly string[] {
  const { name } = namespace.metadata;
  const clusterNamespaces = [name, ...(isClusterNamespace(namespace) ? prefixes(name) : [])];
  return [
    ...caches.assignedTo(name).map(ofConsumer),
    ...clusterNamespaces.filter((one) => caches.exports.list(one).length > 0),
  ];
}

/** Whether {@link decide} sees no change. */
function sameForRights(before: ExportObject, after: ExportObject): boolean {
  return (
    !generationChanged(before, after) &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    isWithdrawn(before.metadata) === isWithdrawn(after.metadata) &&
    equal(before.status?.conditions, after.status?.conditions)
  );
}
