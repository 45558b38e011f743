import { type Client, type Resource, keyOf, listAll } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import type { Removal } from '../ground.js';
import type { Probe } from '../probe.js';
import type { World } from './world.js';

/** A consumer that the backend has taken on. */
interface TakenOn {
  readonly clusterNamespace: string;
  /** The backend took it on for the checks: all its objects go. Otherwise only objects with names of the checks go. */
  readonly isOurs: boolean;
  /** Names of the BoundSchemas of the checks. */
  readonly schemas: readonly string[];
}

/** Removes a consumer from the provider. Exports go first: the next run of the checks must not find them. */
export async function removeConsumer(
  { provider, name: ownName, secondName, namespace }: World,
  removal: Removal,
  { clusterNamespace, isOurs, schemas }: TakenOn,
): Promise<void> {
  const hasOurName = (name: string): boolean => name === secondName || name.startsWith(ownName);
  const kinds: readonly (readonly [Resource, (name: string) => boolean])[] = [
    [resources.apiServiceExportRequests, hasOurName],
    [resources.apiServiceExports, hasOurName],
    [resources.boundSchemas, (name) => schemas.includes(name)],
    [resources.apiServiceNamespaces, (name) => name.startsWith(namespace)],
    // A missing ClusterBinding tells a konnector that its consumer is gone.
    [resources.clusterBindings, () => false],
  ];
  for (const [resource, isMade] of kinds)
    await removal.attempt(`${resource.resource} of ${clusterNamespace}`, async () => {
      for (const { metadata } of await listAll(provider, resource, { namespace: clusterNamespace }))
        if (isOurs || isMade(metadata.name))
          await removal.drop(provider, resource, { namespace: clusterNamespace, name: metadata.name });
    });
  await removal.attempt('namespaces of the provider', async () => {
    for (const { metadata } of await listAll(provider, resources.namespaces)) {
      const { name } = metadata;
      // Under isolation None, a namespace has the consumer's name.
      const isMade = [`${clusterNamespace}-${namespace}`, namespace].some((ours) => name.startsWith(ours));
      if (isMade || (isOurs && (name === clusterNamespace || name.startsWith(`${clusterNamespace}-`))))
        await removal.drop(provider, resources.namespaces, { name });
    }
  });
}

/** Removes the finalizers of the objects of the checks, to end their deletion. */
export async function releaseProbes(client: Client, probes: Resource): Promise<void> {
  for (const object of await listAll<Probe>(client, probes))
    if ((object.metadata.finalizers ?? []).length > 0)
      await client.patch(probes, keyOf(object), { type: 'merge', patch: { metadata: { finalizers: null } } });
}
