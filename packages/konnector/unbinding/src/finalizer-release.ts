import { type KubeObject, type OwnerReference, getIfExists } from '@hawser/client';
import { type Controller, type ControllerContext, type Result, createController, done } from '@hawser/controller';
import { type APIServiceBinding, type CustomResourceDefinition, type Dialect, bindingOwners, holdsObjects, kubeBindDialect, resources, servedResource } from '@hawser/kube-bind';

import { releaseObjects } from './release-objects.js';

const NAME = 'finalizer-release';

/**
 * Lets go of the objects of CRDs whose binding is gone or going: removes the dialect's finalizer (default: `kubebind.io/syncer`), so that unbinding ends also when the
 * connection that set it no longer runs. Works on the consumer alone; the provider's copies stay. A CRD whose binding stands, or is going under a policy
 * that deals with its objects, is never touched.
 */
export function createFinalizerRelease(dialect: Dialect = kubeBindDialect): Controller<'consumer'> {
  return createController<'consumer'>(NAME, async (ctx, scope) => {
    const { informers } = ctx.clusters.consumer;
    const crds = scope.informer(informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }));
    const bindings = scope.informer(informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const queue = scope.openQueue({ name: NAME, concurrency: 2, reconcile: (name, signal) => release(ctx, dialect, name, crds.get(name), signal) });
    const look = (crd: KubeObject): void => {
      if (bindingOwners(crd, dialect.apiVersion).length > 0) queue.add(crd.metadata.name);
    };
    const unbound = (binding: APIServiceBinding): void => {
      for (const crd of crds.list()) if (bindingOwners(crd, dialect.apiVersion).some(({ uid }) => uid === binding.metadata.uid)) queue.add(crd.metadata.name);
    };
    scope.own(crds.addHandler({ onAdd: look, onUpdate: (_, crd) => { look(crd); } }));
    scope.own(bindings.addHandler({ onUpdate: (_, binding) => { if (!holdsObjects(binding.metadata)) unbound(binding); }, onDelete: unbound }));
    await Promise.all([crds.synced(scope.signal), bindings.synced(scope.signal)]);
  });
}

async function release(ctx: ControllerContext<'consumer'>, dialect: Dialect, name: string, crd: KubeObject | undefined, signal: AbortSignal): Promise<Result> {
  const { client } = ctx.clusters.consumer;
  if (crd === undefined) return done;
  const standing = await Promise.all(bindingOwners(crd, dialect.apiVersion).map((owner) => stands(ctx, owner, signal)));
  if (standing.length === 0 || standing.includes(true)) return done;
  const live = await getIfExists<CustomResourceDefinition>(client, resources.customResourceDefinitions, { name }, { signal });
  if (live === undefined || live.metadata.uid !== crd.metadata.uid) return done;
  const resource = servedResource(live.spec);
  const released = resource === undefined ? 0 : await releaseObjects(client, resource, signal, dialect);
  if (released === 0) return done;
  ctx.logger.info('finalizers released after unbinding', { crd: name, objects: released });
  // A sync that was about to stop may have added one more: look again until there is none.
  return { kind: 'requeue', afterMs: 1_000 };
}

/** Live: a binding that is gone, going, or another one of that name holds nothing any more. */
async function stands(ctx: ControllerContext<'consumer'>, owner: OwnerReference, signal: AbortSignal): Promise<boolean> {
  const binding = await getIfExists<KubeObject>(ctx.clusters.consumer.client, resources.apiServiceBindings, { name: owner.name }, { signal });
  return binding?.metadata.uid === owner.uid && holdsObjects(binding.metadata);
}
