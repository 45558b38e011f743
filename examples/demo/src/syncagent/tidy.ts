import { type KubeObject, isConflict, isNotFound } from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import { resources as kcpResources } from '@hawser/kcp-api';
import { hawserPrefix, resources } from '@hawser/syncagent-api';
import type { Cluster } from '../cluster.js';
import { DemoError, messageOf } from '../demo-error.js';
import type { Created } from '../ledger.js';
import { databaseResource } from '../names.js';
import { agentName, agentNamespace, bindingName, remoteDatabases } from './names.js';
import type { Workspaces } from './workspaces.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const customResourceDefinitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const DELETION_MS = 60_000;

/**
 * Refuses a service cluster with an object that the demo will create: it could not tell it from its own.
 * @throws DemoError `refused`
 */
export async function serviceMayBeUsed({ client }: Cluster): Promise<void> {
  const wanted = [
    [namespaces, agentNamespace],
    [customResourceDefinitions, `${resources.publishedResources.resource}.${resources.publishedResources.group}`],
    [customResourceDefinitions, `${databaseResource.resource}.${databaseResource.group}`],
  ] as const;
  const found = await Promise.all(
    wanted.map(async ([resource, name]) => {
      try {
        await client.get(resource, { name }, { representation: 'metadata' });
        return [`${resource.resource} ${name}`];
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  if (found.flat().length > 0)
    throw new DemoError(
      'refused',
      `The demo uses no service cluster on which an agent or an earlier demo is installed. There is already: ${found.flat().join(', ')}.`,
    );
}

export interface TidyOptions {
  readonly service: Cluster;
  readonly consumers: readonly Cluster[];
  readonly workspaces: Workspaces;
  /** Ends the agent. */
  readonly stopRoles: () => Promise<void>;
}

/**
 * Removes what the demo and its agent created on given clusters; resolves to messages about what could not be removed.
 */
export async function tidy({ service, consumers, workspaces, stopRoles }: TidyOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
    }
  };
  // While the agent works, it removes its finalizers and the copies.
  await attempt('databases in workspaces', async () => {
    for (const consumer of consumers) await removeDatabases(consumer);
  });
  // A workspace with a binding takes long to delete.
  await attempt('bindings in workspaces', async () => {
    await Promise.all(consumers.map(({ client }) => client.delete(kcpResources.apiBindings, { name: bindingName })));
  });
  await attempt(`workspace ${workspaces.root}`, () => workspaces.remove());
  await stopRoles();
  const made = await ownNamespaces(service).catch(() => []);
  await attempt('what was made on the service cluster', () =>
    removeAll(service, [...made, ...service.ledger.filter(({ namespace }) => namespace === undefined)]),
  );
  return problems;
}

async function removeDatabases({ client }: Cluster): Promise<void> {
  const left = async (): Promise<readonly KubeObject[]> => {
    try {
      return (await client.list(remoteDatabases)).items;
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  };
  for (const {
    metadata: { namespace, name },
  } of await left())
    await client.delete(remoteDatabases, { namespace, name });
  const deadline = performance.now() + DELETION_MS;
  while ((await left()).length > 0) {
    if (performance.now() > deadline) throw new Error('they are still being deleted');
    await sleep(systemClock, 200);
  }
}

/** Namespaces that the agent created are marked. */
async function ownNamespaces({ client }: Cluster): Promise<readonly Created[]> {
  const { items } = await client.list<KubeObject>(namespaces, { representation: 'metadata' });
  return items
    .filter(({ metadata }) => metadata.annotations?.[`${hawserPrefix}created-by`] === agentName)
    .map(({ metadata: { name, uid = '' } }) => ({ resource: namespaces, name, uid }));
}

async function removeAll({ client }: Cluster, objects: readonly Created[]): Promise<void> {
  const gone = async ({ resource, name, uid }: Created): Promise<boolean> => {
    try {
      return (await client.get(resource, { name }, { representation: 'metadata' })).metadata.uid !== uid;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  };
  // Last to first: objects of a CRD go before it.
  for (const { resource, name, uid } of objects.toReversed()) {
    // An object of that name with another uid is not the demo's.
    await client.delete(resource, { name }, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }
  const deadline = performance.now() + DELETION_MS;
  for (const created of objects) {
    while (!(await gone(created))) {
      if (performance.now() > deadline)
        throw new Error(`${created.resource.resource} ${created.name} is still being deleted`);
      await sleep(systemClock, 200);
    }
  }
}
