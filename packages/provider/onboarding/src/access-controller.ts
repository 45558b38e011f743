import { type KubeObject, isAlreadyExists, isRefusal } from '@hawser/client';
import { type Controller, type Result, createController, done, park } from '@hawser/controller';
import { type ClusterBinding, controllerName, type Dialect, isClusterNamespaceOf, kubeBindDialect, resources } from '@hawser/kube-bind';
import { type EventMessage, type ObjectReference, createTold } from '@hawser/telemetry';
import { type AccessAction, decideAccess, type RoleBinding } from './decide-access.js';
import { fieldManager } from './field-manager.js';

export interface ConsumerAccessOptions {
  /** Whose consumers. Default: kube-bind's. */
  readonly dialect?: Dialect | undefined;
}

/**
 * Binds the ServiceAccount of the consumer in each cluster namespace, `kube-binder` or `klutch-binder`, to the ClusterRole of its name, there and nowhere else
 * (spec/kube-bind-backend.md §6.2). What that ClusterRole says is the operator's; rights on what is exported are another controller's work.
 */
export function createConsumerAccessController({ dialect = kubeBindDialect }: ConsumerAccessOptions = {}): Controller<'provider'> {
  const name = controllerName('consumer-access', dialect);
  const { binder, clusterBinding } = dialect.names;
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource: dialect.resources.clusterBindings }));
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const roleBindings = scope.informer(informers.acquire<RoleBinding>({ resource: resources.roleBindings, fieldSelector: `metadata.name=${binder}` }));
    const told = createTold(events);
    const queue = scope.openQueue({ name, concurrency: 4, reconcile });
    scope.own(bindings.addHandler({
      onAdd: ({ metadata }) => { queue.add(metadata.namespace ?? ''); },
      onDelete: ({ metadata }) => { queue.add(metadata.namespace ?? ''); },
    }));
    scope.onChange(roleBindings, ({ metadata }) => { queue.add(metadata.namespace ?? ''); });
    scope.own(namespaces.addHandler({
      onAdd: ({ metadata }) => { queue.add(metadata.name); },
      onUpdate: (before, after) => { if (isClusterNamespaceOf(dialect, before) !== isClusterNamespaceOf(dialect, after)) queue.add(after.metadata.name); },
    }));
    await scope.synced();

    async function reconcile(namespace: string, signal: AbortSignal): Promise<Result> {
      const binding = bindings.get({ namespace, name: clusterBinding });
      const decision = decideAccess(dialect, { binding, namespace: namespaces.get(namespace), roleBinding: roleBindings.get({ namespace, name: binder }) });
      switch (decision.kind) {
        case 'none':
          told.forget(namespace);
          return done;
        case 'conflict':
          if (binding !== undefined) told.tell(namespace, referenceTo(binding), conflictEvent(binder, decision.role));
          return park;
        case 'act':
          try {
            await act(decision.action, signal);
          } catch (error) {
            // The cache lags behind; the watch will tell.
            if (isAlreadyExists(error)) return done;
            if (binding !== undefined && isRefusal(error)) told.tell(namespace, referenceTo(binding), refusedEvent(binder, error.message));
            throw error;
          }
          ctx.logger.info('A consumer has its rights in its cluster namespace.', { namespace, action: decision.action.type });
          return done;
      }
    }

    async function act(action: AccessAction, signal: AbortSignal): Promise<void> {
      switch (action.type) {
        case 'create':
          await client.create(resources.roleBindings, action.object, { fieldManager, signal });
          return;
        case 'setSubjects': {
          const { namespace, uid, resourceVersion } = action.roleBinding.metadata;
          roleBindings.observe(await client.patch<RoleBinding>(
            resources.roleBindings, { namespace, name: binder }, { type: 'merge', patch: { metadata: { uid, resourceVersion }, subjects: action.subjects } }, { fieldManager, signal },
          ));
        }
      }
    }

    function referenceTo({ metadata }: ClusterBinding): ObjectReference {
      return { apiVersion: dialect.apiVersion, kind: 'ClusterBinding', name: metadata.name, namespace: metadata.namespace, uid: metadata.uid };
    }
  });
}

function conflictEvent(binder: string, role: string): EventMessage {
  return { type: 'Warning', reason: 'RightsConflict', message: `RoleBinding "${binder}" gives the role ${role}, and not the ClusterRole "${binder}"; nobody can change that. The provider has to delete it: then it is made as it should be.` };
}

function refusedEvent(binder: string, message: string): EventMessage {
  return { type: 'Warning', reason: 'RightsRefused', message: `The provider's API server refused the RoleBinding of this consumer: ${message}. The provider has to grant "bind" on ClusterRole "${binder}", or to remove the cause; it is tried again.` };
}
