import { type KubeObject, isAlreadyExists, isApiError } from '@hawser/client';
import { type Controller, type Result, createController, done, park } from '@hawser/controller';
import { apiVersion, type ClusterBinding, consumerIdentityOf, fixedNames, resources } from '@hawser/kube-bind';
import { type EventMessage, type ObjectReference, createTold } from '@hawser/telemetry';
import { type AccessAction, decideAccess, type RoleBinding } from './decide-access.js';
import { fieldManager } from './field-manager.js';

const name = 'consumer-access';

/**
 * Binds the ServiceAccount `kube-binder` of each cluster namespace to the ClusterRole `kube-binder`, there and nowhere else (spec/kube-bind-backend.md §6.2). What that
 * ClusterRole says is the operator's; rights on what is exported are another controller's work.
 */
export function createConsumerAccessController(): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource: resources.clusterBindings }));
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const roleBindings = scope.informer(informers.acquire<RoleBinding>({ resource: resources.roleBindings, fieldSelector: `metadata.name=${fixedNames.binder}` }));
    const told = createTold(events);
    const queue = scope.openQueue({ name, concurrency: 4, reconcile });
    scope.own(bindings.addHandler({
      onAdd: ({ metadata }) => { queue.add(metadata.namespace ?? ''); },
      onDelete: ({ metadata }) => { queue.add(metadata.namespace ?? ''); },
    }));
    scope.onChange(roleBindings, ({ metadata }) => { queue.add(metadata.namespace ?? ''); });
    scope.own(namespaces.addHandler({
      onAdd: ({ metadata }) => { queue.add(metadata.name); },
      onUpdate: (before, after) => { if (consumerIdentityOf(before) !== consumerIdentityOf(after)) queue.add(after.metadata.name); },
    }));
    await scope.synced();

    async function reconcile(namespace: string, signal: AbortSignal): Promise<Result> {
      const binding = bindings.get({ namespace, name: fixedNames.clusterBinding });
      const decision = decideAccess({ binding, namespace: namespaces.get(namespace), roleBinding: roleBindings.get({ namespace, name: fixedNames.binder }) });
      switch (decision.kind) {
        case 'none':
          told.forget(namespace);
          return done;
        case 'conflict':
          if (binding !== undefined) told.tell(namespace, referenceTo(binding), conflictEvent(decision.role));
          return park;
        case 'act':
          try {
            await act(decision.action, signal);
          } catch (error) {
            // The cache lags behind; the watch will tell.
            if (isAlreadyExists(error)) return done;
            if (binding !== undefined && isApiError(error) && error.status !== undefined && !error.retryable && error.code !== 'NotFound') told.tell(namespace, referenceTo(binding), refusedEvent(error.message));
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
            resources.roleBindings, { namespace, name: fixedNames.binder }, { type: 'merge', patch: { metadata: { uid, resourceVersion }, subjects: action.subjects } }, { fieldManager, signal },
          ));
        }
      }
    }
  });
}

function conflictEvent(role: string): EventMessage {
  return { type: 'Warning', reason: 'RightsConflict', message: `RoleBinding "${fixedNames.binder}" gives the role ${role}, and not the ClusterRole "${fixedNames.binder}"; nobody can change that. The provider has to delete it: then it is made as it should be.` };
}

function refusedEvent(message: string): EventMessage {
  return { type: 'Warning', reason: 'RightsRefused', message: `The provider's API server refused the RoleBinding of this consumer: ${message}. The provider has to grant "bind" on ClusterRole "${fixedNames.binder}", or to remove the cause; it is tried again.` };
}

function referenceTo({ metadata }: ClusterBinding): ObjectReference {
  return { apiVersion, kind: 'ClusterBinding', name: metadata.name, namespace: metadata.namespace, uid: metadata.uid };
}
