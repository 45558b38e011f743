import { type KubeObject, type OwnerReference, type Resource, isConflict, isNotFound, isObjectNotFound } from '@hawser/client';
import { type Controller, type ControllerContext, type Result, createController, createQueue, done } from '@hawser/controller';
import { type APIServiceBinding, type CustomResourceDefinition, finalizers, resources } from '@hawser/kube-bind';

const NAME = 'finalizer-release';
const AT_ONCE = 16;
const PAGE = 500;

/**
 * Lets go of the objects of CRDs whose binding is gone or going: removes the finalizer `kubebind.io/syncer`, so that unbinding ends also when the
 * connection that set it no longer runs. Works on the consumer alone; the provider's copies stay. A CRD whose binding stands is never touched.
 */
export function createFinalizerRelease(): Controller<'consumer'> {
  return createController<'consumer'>(NAME, async (ctx, scope) => {
    const { informers } = ctx.clusters.consumer;
    const crds = scope.informer(informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }));
    const bindings = scope.informer(informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const queue = scope.queue(createQueue({
      name: NAME,
      concurrency: 2,
      reconcile: (name, signal) => release(ctx, name, crds.get(name), signal),
      clock: ctx.clock,
      random: ctx.random,
      logger: ctx.logger,
      metrics: ctx.metrics,
      ready: scope.ready,
    }));
    const look = (crd: KubeObject): void => {
      if (bindingOwners(crd).length > 0) queue.add(crd.metadata.name);
    };
    const unbound = (binding: APIServiceBinding): void => {
      for (const crd of crds.list()) if (bindingOwners(crd).some(({ uid }) => uid === binding.metadata.uid)) queue.add(crd.metadata.name);
    };
    scope.own(crds.addHandler({ onAdd: look, onUpdate: (_, crd) => { look(crd); } }));
    scope.own(bindings.addHandler({ onUpdate: (_, binding) => { if (binding.metadata.deletionTimestamp !== undefined) unbound(binding); }, onDelete: unbound }));
    await Promise.all([crds.synced(scope.signal), bindings.synced(scope.signal)]);
  });
}

/** The bindings that a CRD was installed for (`spec/kube-bind-api.md §8.4`). */
function bindingOwners(crd: KubeObject): readonly OwnerReference[] {
  return (crd.metadata.ownerReferences ?? []).filter(({ apiVersion, kind }) => apiVersion.split('/')[0] === 'kube-bind.io' && kind === 'APIServiceBinding');
}

async function release(ctx: ControllerContext<'consumer'>, name: string, crd: KubeObject | undefined, signal: AbortSignal): Promise<Result> {
  if (crd === undefined) return done;
  const standing = await Promise.all(bindingOwners(crd).map((owner) => stands(ctx, owner, signal)));
  if (standing.length === 0 || standing.includes(true)) return done;
  const live = await readOrNothing<CustomResourceDefinition>(ctx, resources.customResourceDefinitions, name, signal);
  if (live === undefined || live.metadata.uid !== crd.metadata.uid) return done;
  const version = live.spec.versions.find(({ served }) => served);
  if (version === undefined) return done;
  const released = await releaseObjects(ctx, { group: live.spec.group, version: version.name, resource: live.spec.names.plural }, signal);
  if (released === 0) return done;
  ctx.logger.info('finalizers released after unbinding', { crd: name, objects: released });
  // A sync that was about to stop may have added one more: look again until there is none.
  return { kind: 'requeue', afterMs: 1_000 };
}

/** Live: a binding that is gone, going, or another one of that name holds nothing any more. */
async function stands(ctx: ControllerContext<'consumer'>, owner: OwnerReference, signal: AbortSignal): Promise<boolean> {
  const binding = await readOrNothing<KubeObject>(ctx, resources.apiServiceBindings, owner.name, signal);
  return binding?.metadata.uid === owner.uid && binding.metadata.deletionTimestamp === undefined;
}

async function releaseObjects(ctx: ControllerContext<'consumer'>, resource: Resource, signal: AbortSignal): Promise<number> {
  const { client } = ctx.clusters.consumer;
  let released = 0;
  let next: string | undefined;
  do {
    const page = await client.list<KubeObject>(resource, { representation: 'metadata', limit: PAGE, ...(next === undefined ? {} : { continue: next }), signal });
    const held = page.items.filter(({ metadata }) => metadata.finalizers?.includes(finalizers.syncer));
    for (let at = 0; at < held.length; at += AT_ONCE) {
      await Promise.all(held.slice(at, at + AT_ONCE).map((object) => releaseObject(ctx, resource, object, signal)));
    }
    released += held.length;
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  } while (next !== undefined);
  return released;
}

async function releaseObject(ctx: ControllerContext<'consumer'>, resource: Resource, object: KubeObject, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers: before = [] } = object.metadata;
  const rest = before.filter((finalizer) => finalizer !== finalizers.syncer);
  const patch = { metadata: { uid, resourceVersion, finalizers: rest.length === 0 ? null : rest } };
  try {
    await ctx.clusters.consumer.client.patch(resource, { name, namespace }, { type: 'merge', patch }, { representation: 'metadata', signal });
  } catch (error) {
    // Gone is as good as released; a changed object is seen again in the next round.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Undefined only if the server says that this very object does not exist: a missing API proves nothing. */
async function readOrNothing<T extends KubeObject>(ctx: ControllerContext<'consumer'>, resource: Resource, name: string, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await ctx.clusters.consumer.client.get<T>(resource, { name }, { signal });
  } catch (error) {
    if (isObjectNotFound(error, resource, { name })) return undefined;
    throw error;
  }
}
