import { type ApiServer, DirectDispatcher, Store, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ConnectionIdentities } from './connection-identities.js';

const CLUSTER_NAMESPACE = 'kube-bind-x';
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

let servers: Record<'consumer' | 'provider' | 'other', ApiServer>;
let answers: ApiServer | undefined;
let consumer: Client;
let provider: Client;
let identities: ConnectionIdentities;

beforeEach(async () => {
  servers = { consumer: serverOf(), provider: serverOf(), other: serverOf() };
  answers = servers.provider;
  consumer = clientOf('consumer', () => servers.consumer);
  provider = clientOf('provider', () => answers);
  await namespaceAt(provider, CLUSTER_NAMESPACE);
  identities = new ConnectionIdentities({ consumer, provider, clusterNamespace: CLUSTER_NAMESPACE });
  await identities.resolve(AbortSignal.timeout(20_000));
});
afterEach(async () => {
  identities.close();
  await Promise.all([consumer.close(), provider.close()]);
  for (const server of Object.values(servers)) server.stop();
});

it.each([
  ['has a cluster namespace of that name', [CLUSTER_NAMESPACE, 'team']],
  ['has none', ['team']],
])('writes nothing to another cluster that answers at the address of the provider and %s', async (_, namespaces) => {
  const other = clientOf('other', () => servers.other);
  for (const name of namespaces) await namespaceAt(other, name);
  await namespaceAt(provider, 'team');
  await loseConnection();
  answers = servers.other;
  await expect(write('one')).rejects.toMatchObject({ code: 'Unreachable' });
  await expect(identities.confirmProvider()).rejects.toThrow(
    'the provider at this address is not the one that was bound',
  );
  expect((await other.list(configMaps)).items).toEqual([]);
  await other.close();

  answers = servers.provider;
  await write('one');
  expect((await provider.list(configMaps)).items.map(({ metadata }) => metadata.name)).toEqual(['one']);
});

function serverOf(): ApiServer {
  return createApiServer({ store: new Store(), controllerManager: false });
}

function clientOf(name: string, server: () => ApiServer | undefined): Client {
  return createClient({
    name,
    connection: { server: 'https://api.test', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server, user: administrator }),
  });
}

async function namespaceAt(client: Client, name: string): Promise<void> {
  await client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** A request gets no answer. */
async function loseConnection(): Promise<void> {
  answers = undefined;
  await expect(provider.get(resources.namespaces, { name: 'team' })).rejects.toMatchObject({ code: 'Unreachable' });
}

async function write(name: string): Promise<void> {
  await provider.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'team', name } });
}
