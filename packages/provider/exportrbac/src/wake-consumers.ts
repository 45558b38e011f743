import type { KubeObject } from '@hawser/client';
import type { Scope } from '@hawser/controller';
import { equal } from '@hawser/json';
import { isClusterNamespace } from '@hawser/klutch';
import { type Dialect, isWithdrawn } from '@hawser/kube-bind';
import { isBackendBindingName, isBackendRoleName } from './backend-rights.js';
import type { ExportObject } from './export-object.js';
import type { BindingObject } from './rbac-objects.js';
import { concernsRights } from './request-rights.js';
import { consumersOfBinding, prefixes, type RightsCaches } from './rights-caches.js';

/** Who is to be looked at. */
export interface Wake {
  consumer(clusterNamespace: string): void;
  /** What another backend gave. */
  backend(): void;
}

/** Has rights looked at when something changes that they depend on. */
export function wakeConsumers(scope: Scope, dialect: Dialect, caches: RightsCaches, wake: Wake): void {
  const consumerChanged = (object: KubeObject): void => {
    wake.consumer(object.metadata.namespace ?? '');
  };
  const bindingChanged = (binding: BindingObject): void => {
    for (const consumer of consumersOfBinding(dialect, binding)) wake.consumer(consumer);
    if (isBackendBindingName(dialect, binding.metadata.name)) wake.backend();
  };
  const allChanged = (): void => {
    for (const consumer of caches.consumers()) wake.consumer(consumer);
  };
  onExports(scope, caches, wake, consumerChanged);
  onBoundSchemas(scope, caches, consumerChanged);
  onRequests(scope, caches, consumerChanged);
  scope.onChange(caches.serviceNamespaces, (changed) => {
    consumerChanged(changed);
    // Who has the namespace too, or has it alone from now on.
    for (const other of caches.assignedTo(changed.status?.namespace ?? '')) consumerChanged(other);
  });
  onNamespaces(scope, caches, wake, consumerChanged);
  scope.onChange(caches.roles, (role) => {
    if (role.metadata.name.startsWith(`${dialect.names.binder}:`)) allChanged();
    if (isBackendRoleName(dialect, role)) wake.backend();
  });
  scope.onChange(caches.roleBindings, bindingChanged);
  scope.onChange(caches.clusterRoleBindings, bindingChanged);
  scope.onChange(caches.policies, allChanged);
  scope.onChange(caches.policyBindings, allChanged);
}

type Changed = (object: KubeObject) => void;

function onExports(scope: Scope, { exports }: RightsCaches, wake: Wake, changed: Changed): void {
  scope.own(
    exports.addHandler({
      onAdd: changed,
      // With each changed schema an annotation changes, which gives no rights.
      onUpdate(before, after) {
        if (!sameForRights(before, after)) changed(after);
      },
      onDelete(gone) {
        changed(gone);
        // Nobody waits for a consumer that is gone.
        wake.backend();
      },
    }),
  );
}

function onBoundSchemas(scope: Scope, { boundSchemas }: RightsCaches, changed: Changed): void {
  if (boundSchemas === undefined) return;
  scope.own(
    boundSchemas.addHandler({
      onAdd: changed,
      // Neither what konnectors write into the status nor what the schema says of an object gives rights.
      onUpdate(before, after) {
        if (before.spec?.scope !== after.spec?.scope || before.spec?.informerScope !== after.spec?.informerScope)
          changed(after);
      },
      onDelete: changed,
    }),
  );
}

function onRequests(scope: Scope, { requests }: RightsCaches, changed: Changed): void {
  scope.own(
    requests.addHandler({
      onAdd(request) {
        if (concernsRights(request)) changed(request);
      },
      onUpdate(before, after) {
        if ((concernsRights(before) || concernsRights(after)) && !equal(before.status, after.status)) changed(after);
      },
      onDelete: () => undefined,
    }),
  );
}

function onNamespaces(scope: Scope, caches: RightsCaches, wake: Wake, changed: Changed): void {
  const hasExports = (namespace: string): boolean => caches.exports.list(namespace).length > 0;
  scope.onChange(caches.namespaces, (namespace) => {
    const { name } = namespace.metadata;
    for (const object of caches.assignedTo(name)) changed(object);
    if (hasExports(name)) wake.consumer(name);
    if (isClusterNamespace(namespace))
      for (const prefix of prefixes(name)) if (hasExports(prefix)) wake.consumer(prefix);
  });
}

/** Whether nothing changed that {@link decide} looks at. */
function sameForRights(before: ExportObject, after: ExportObject): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.uid === after.metadata.uid &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    isWithdrawn(before.metadata) === isWithdrawn(after.metadata) &&
    equal(before.status?.conditions, after.status?.conditions)
  );
}
