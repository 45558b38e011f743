import { type KubeObject, type OwnerReference, getIfExists } from '@hawser/client';
import { type Cluster, type Controller, type Result, type Setup, controller, done } from '@hawser/controller';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type Dialect,
  bindingOwners,
  awaitsRecord,
  holdsObjects,
  resources,
  servedResource,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { type ReleaseAction, decideRelease } from './decide-release.js';
import { releaseObjects } from './release-objects.js';

/**
 * Releases the objects of CRDs whose binding is gone or terminating: removes the dialect's finalizer (default:
 * `kubebind.io/syncer`), so unbinding ends even if the connection that set it no longer runs. Works only on the
 * consumer; the provider's copies stay. Never touches a CRD whose binding stands, or terminates under a policy that
 * handles its objects.
 */
export function createFinalizerRelease(dialect: Dialect): Controller<'consumer'> {
  return controller('finalizer-release', ({ clusters: { consumer }, logger, watch }: Setup<'consumer'>) => {
    const ownersOf = (crd: KubeObject): readonly OwnerReference[] => bindingOwners(crd, dialect.apiVersion);
    const ownedBy = (binding: APIServiceBinding): readonly string[] =>
      crds
        .list()
        .filter((crd) => ownersOf(crd).some(({ uid }) => uid === binding.metadata.uid))
        .map(({ metadata }) => metadata.name);
    const crds = watch(
      consumer,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
      (crd) => (ownersOf(crd).length > 0 ? crd.metadata.name : []),
    );
    watch<APIServiceBinding>(
      consumer,
      { resource: resources.apiServiceBindings, kind: 'APIServiceBinding' },
      (binding, change) => (change === 'delete' || !holdsObjects(binding.metadata) ? ownedBy(binding) : []),
    );
    return {
      concurrency: 2,
      async observe(name, signal) {
        const crd = crds.get(name);
        const owners = crd === undefined ? [] : ownersOf(crd);
        return { crd, standing: await Promise.all(owners.map((owner) => stands(consumer, owner, signal))) };
      },
      decide: decideRelease,
      act: (action, signal) => release(consumer, dialect, action, logger, signal),
    };
  });
}

async function release(
  consumer: Cluster,
  dialect: Dialect,
  {
    crd: {
      metadata: { name, uid },
    },
  }: ReleaseAction,
  logger: Logger,
  signal: AbortSignal,
): Promise<Result> {
  const live = await getIfExists<CustomResourceDefinition>(
    consumer.client,
    resources.customResourceDefinitions,
    { name },
    { signal },
  );
  if (live === undefined || live.metadata.uid !== uid) return done;
  // A restored backup may have given the CRD to another binding. The cache will show it, and with it the key.
  const owners = bindingOwners(live, dialect.apiVersion);
  const standing = await Promise.all(owners.map((owner) => stands(consumer, owner, signal)));
  if (decideRelease({ crd: live, standing }).actions.length === 0) return done;
  const resource = servedResource(live.spec);
  const released = resource === undefined ? 0 : await releaseObjects(consumer.client, resource, signal, dialect);
  if (released === 0) return done;
  logger.info('finalizers released after unbinding', { crd: name, objects: released });
  // A stopping sync may have added one more: look again until there is none.
  return { kind: 'requeue', afterMs: 1_000 };
}

/** Live: a binding that is gone, terminating, or recreated holds nothing, except until it is recorded. */
async function stands({ client }: Cluster, owner: OwnerReference, signal: AbortSignal): Promise<boolean> {
  const binding = await getIfExists<KubeObject>(client, resources.apiServiceBindings, { name: owner.name }, { signal });
  return binding?.metadata.uid === owner.uid && (holdsObjects(binding.metadata) || awaitsRecord(binding.metadata));
}
