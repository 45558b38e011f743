import { type Client, type KubeObject, isForbidden, isApiError } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { expectThat } from '../../check.js';
import type { World } from '../world.js';
import { request, claims, serviceNamespace } from './backend-requests.js';

/** Another consumer of the same backend. */
interface Neighbour {
  readonly client: Client;
  readonly namespace: string;
}

/**
 * Checks that the credential of the first consumer reaches neither objects nor Secrets of a neighbour. @throws
 * Deviation
 */
export async function areApart(world: World, another: Neighbour): Promise<void> {
  await request(world, world.name, [world.api.plural], claims, another);
  const namespace = await serviceNamespace(world, another.client, another.namespace, world.served);
  const name = 'of-the-neighbour';
  await world.apply(
    world.provider,
    world.probes,
    { metadata: { namespace, name }, spec: { token: `${world.suffix}-neighbour` } },
    `${world.api.group}/v1`,
    world.api.kind,
  );
  await world.apply(world.provider, resources.secrets, { metadata: { namespace, name } }, 'v1', 'Secret');
  await world.until('the neighbour may work in its namespace', async () => {
    await keepsObject(world, another.client, namespace);
    return true;
  });
  await mayStillWork(world);
  const { asConsumer } = world;
  const key = { namespace, name };
  await refused(() => asConsumer.get(world.probes, key), 'it reads an object of the neighbour');
  await refused(() => asConsumer.list(world.probes), 'it lists the objects of all consumers');
  await refused(() => asConsumer.get(resources.secrets, key), 'it reads a Secret of the neighbour');
  await refused(() => asConsumer.delete(world.probes, key, { dryRun: true }), 'it deletes an object of the neighbour');
}

const mayStillWork = (world: World): Promise<boolean> =>
  world.until('the first consumer keeps its rights beside another', async () => {
    await keepsObject(
      world,
      world.asConsumer,
      await serviceNamespace(world, world.asConsumer, world.clusterNamespace, world.served),
    );
    return true;
  });

/**
 * A backend that gives rights only to the last consumer has to give them back: the next checks concern one consumer.
 */
export async function withoutNeighbour(world: World, { namespace }: Neighbour): Promise<void> {
  const { provider, name, clusterNamespace } = world;
  for (const resource of [resources.apiServiceExportRequests, resources.apiServiceExports])
    if ((await world.read(provider, resource, { namespace, name })) !== undefined)
      await provider.delete(resource, { namespace, name });
  const annotations = { 'conformance.hawser.dev/neighbour': 'gone' };
  await provider.patch(
    resources.apiServiceExports,
    { namespace: clusterNamespace, name },
    { type: 'merge', patch: { metadata: { annotations } } },
  );
  await mayStillWork(world);
}

/** State of a namespace that must stay, if it goes; undefined while it is there. */
export async function namespaceGoes(world: World, name: string): Promise<string | undefined> {
  const found = await world.read<KubeObject>(world.provider, resources.namespaces, { name });
  return found === undefined || found.metadata.deletionTimestamp !== undefined ? 'it was deleted' : undefined;
}

/** Creates, lists and deletes an object with the rights of a consumer. @throws ApiError if one of these is refused */
export async function keepsObject(world: World, client: Client, namespace: string): Promise<void> {
  const name = 'kept';
  await world.apply(
    client,
    world.probes,
    { metadata: { namespace, name }, spec: { token: `${world.suffix}-kept` } },
    `${world.api.group}/v1`,
    world.api.kind,
  );
  await client.list(world.probes, { namespace });
  await client.delete(world.probes, { namespace, name });
}

/** @throws Deviation if it is allowed */
export async function refused(attempt: () => Promise<unknown>, otherwise: string): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (isForbidden(error) || isApiError(error, 'Invalid')) return;
    throw error;
  }
  expectThat(false, otherwise);
}
