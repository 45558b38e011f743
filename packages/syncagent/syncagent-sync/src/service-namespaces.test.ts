import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ApiServer, DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { type Client, type UnstructuredObject, createClient, getIfExists } from '@hawser/client';
import { silentLogger } from '@hawser/telemetry';

import { type ServiceNamespaces, createServiceNamespaces, namespaces } from './service-namespaces.js';
import { configMaps } from './testing/installation.js';

describe('a namespace that the agent has made', () => {
  let server: ApiServer;
  let client: Client;
  let made: ServiceNamespaces;
  const { signal } = new AbortController();

  beforeEach(async () => {
    server = createApiServer({ controllerManager: false });
    client = createClient({
      name: 'service',
      connection: { server: 'https://service.invalid', credentials: { kind: 'token', token: server.adminToken } },
      dispatcher: () => new DirectDispatcher({ server }),
    });
    made = createServiceNamespaces({ client, agentName: 'agent-1', logger: silentLogger });
    await made.make('copies', signal);
  });
  afterEach(async () => {
    await client.close();
    server.stop();
  });

  const configMap = (name: string): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'copies' },
  });
  const isGoing = async (): Promise<boolean> =>
    (await client.get(namespaces, { name: 'copies' })).metadata.deletionTimestamp !== undefined;
  /** Does something once, when the first request of a kind comes. */
  const when = (matches: (method: string, resource: string) => boolean, act: () => void): void => {
    let done = false;
    server.setFaults(({ method }, { resource }) => {
      if (!done && matches(method, resource)) {
        done = true;
        act();
      }
      return undefined;
    });
  };

  it('goes when nothing is in it', async () => {
    expect(await made.left('copies', () => false, signal)).toBe('settled');
    expect(await isGoing()).toBe(true);
  });

  it('stays when something arrives where it was looked at already', async () => {
    // ConfigMaps are listed before Secrets.
    when(
      (method, resource) => method === 'GET' && resource === 'secrets',
      () => {
        server.objects.create(configMaps, configMap('arrived') as never);
      },
    );
    expect(await made.left('copies', () => false, signal)).toBe('occupied');
    expect(await isGoing()).toBe(false);
    expect(await getIfExists(client, configMaps, { namespace: 'copies', name: 'arrived' })).toBeDefined();
  });

  it('stays when the agent itself is putting something into it, however late', async () => {
    const arrived = Promise.withResolvers<undefined>();
    let putting: Promise<unknown> = Promise.resolve();
    when(
      (method, resource) => method === 'GET' && resource === 'secrets',
      () => {
        putting = made.within('copies', async () => {
          await arrived.promise;
          return client.create(configMaps, configMap('ours'));
        });
      },
    );
    expect(await made.left('copies', () => false, signal)).toBe('occupied');
    arrived.resolve(undefined);
    await putting;
    expect(await isGoing()).toBe(false);
    expect(await getIfExists(client, configMaps, { namespace: 'copies', name: 'ours' })).toBeDefined();
  });

  it('is waited for when it is being removed just then', async () => {
    const order: string[] = [];
    const putting = Promise.withResolvers<unknown>();
    when(
      (method, resource) => method === 'DELETE' && resource === 'namespaces',
      () => {
        order.push('removal');
        putting.resolve(
          made.within('copies', () => {
            order.push('creation');
            return Promise.resolve();
          }),
        );
      },
    );
    const removal = made
      .left('copies', () => false, signal)
      .then(() => {
        order.push('removed');
      });
    await Promise.all([removal, putting.promise]);
    expect(order[0]).toBe('removal');
    expect(order).toContain('creation');
    expect(await isGoing()).toBe(true);
  });
});
