import type { KubeObject } from '@hawser/client';
import { type Controller, type Decision, type Setup, type Watched, controller, toOwnKey } from '@hawser/controller';
import { type ClusterBinding, controllerName, type Dialect, isClusterNamespaceOf, resources } from '@hawser/kube-bind';
import type { EventMessage } from '@hawser/telemetry';
import { type AccessAction, type AccessDecision, decideAccess, type RoleBinding } from './decide-access.js';
import { fieldManager } from './field-manager.js';

export interface ConsumerAccessOptions {
  /** Dialect of the consumers. */
  readonly dialect: Dialect;
}

/**
 * Binds the consumer's ServiceAccount in each cluster namespace, `kube-binder` or `klutch-binder`, to the ClusterRole
 * of its name, only in that namespace (spec/kube-bind-backend.md §6.2). The operator defines that ClusterRole; another
 * controller grants rights on exported resources.
 */
export function createConsumerAccessController({ dialect }: ConsumerAccessOptions): Controller<'provider'> {
  const { binder, clusterBinding } = dialect.names;
  return controller(
    controllerName('consumer-access', dialect),
    ({ clusters: { provider }, watch }: Setup<'provider'>) => {
      const bindings = watch<ClusterBinding>(
        provider,
        { resource: dialect.resources.clusterBindings, kind: 'ClusterBinding' },
        toNamespace,
        { changed: () => false },
      );
      const isClusterNamespace = (namespace: KubeObject): boolean => isClusterNamespaceOf(dialect, namespace);
      const namespaces = watch(
        provider,
        { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
        toOwnKey,
        { changed: (before, after) => isClusterNamespace(before) !== isClusterNamespace(after) },
      );
      const roleBindings = watch<RoleBinding>(
        provider,
        { resource: resources.roleBindings, kind: 'RoleBinding', fieldSelector: `metadata.name=${binder}` },
        toNamespace,
      );
      return {
        fieldManager,
        observe: (namespace) => ({
          binding: bindings.get({ namespace, name: clusterBinding }),
          namespace: namespaces.get(namespace),
          roleBinding: roleBindings.get({ namespace, name: binder }),
        }),
        decide: (observed) => accessDecision(binder, decideAccess(dialect, observed)),
        act: (action, signal) => writeAccess(roleBindings, action, signal),
        about: ({ binding }) => bindings.about(binding),
        refused: ({ message }) => refusedEvent(binder, message),
      };
    },
  );
}

const toNamespace = ({ metadata }: KubeObject): string | undefined => metadata.namespace;

function accessDecision(binder: string, decision: AccessDecision): Decision<AccessAction> {
  switch (decision.kind) {
    case 'none':
      return { actions: [] };
    case 'conflict':
      return { actions: [], event: conflictEvent(binder, decision.role) };
    case 'act':
      return { actions: [decision.action] };
  }
}

async function writeAccess(
  roleBindings: Watched<RoleBinding>,
  action: AccessAction,
  signal: AbortSignal,
): Promise<void> {
  switch (action.type) {
    case 'create':
      await roleBindings.create(action.object, signal);
      return;
    case 'setSubjects':
      await roleBindings.patch(action.roleBinding, { subjects: action.subjects }, signal);
  }
}

function conflictEvent(binder: string, role: string): EventMessage {
  return {
    type: 'Warning',
    reason: 'RightsConflict',
    message: `RoleBinding "${binder}" gives the role ${role}, and not the ClusterRole "${binder}"; the role of a RoleBinding cannot be changed. The provider has to delete it: then it is made as it should be.`,
  };
}

function refusedEvent(binder: string, message: string): EventMessage {
  return {
    type: 'Warning',
    reason: 'RightsRefused',
    message: `The provider's API server refused the RoleBinding of this consumer: ${message}. The provider has to grant "bind" on ClusterRole "${binder}", or to remove the cause; it is tried again.`,
  };
}
