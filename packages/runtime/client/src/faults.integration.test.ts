import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type FaultProxy, type FaultRule, createFaultProxy } from '@hawser/faultproxy';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { type Client, type KubeObject, type Resource, createClient, isAlreadyExists } from './index.js';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', resource: 'configmaps' };

describeWithControlPlane('a client behind a faulty connection', () => {
  let cluster: SharedControlPlane;
  let proxy: FaultProxy;
  let client: Client;
  const namespace = uniqueNamespace();
  const configMap = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
  });

  beforeAll(async () => {
    cluster = await sharedControlPlane('provider');
    await cluster.kubectl(['create', 'namespace', namespace]);
    proxy = await createFaultProxy({ upstream: cluster.connection });
    client = createClient({ name: 'provider', connection: proxy.connection });
    await client.create(CONFIG_MAPS, configMap('there'));
  });
  afterEach(async () => {
    await proxy.clear();
  });
  afterAll(async () => {
    await client.close();
    await eventually(() => proxy.connections === 0 && proxy.openRequests === 0);
    await proxy.stop();
  });

  const times = 2;
  const onReads: readonly [string, FaultRule][] = [
    ['resets', { times, match: {}, fault: { kind: 'reset' } }],
    ['429', { times, match: {}, fault: { kind: 'status', code: 429, retryAfterSeconds: 1 } }],
    ['503', { times, match: {}, fault: { kind: 'status', code: 503 } }],
  ];
  it.each(onReads)('reads on through %s', async (_name, rule) => {
    const fault = proxy.inject(rule);
    expect((await client.get(CONFIG_MAPS, { namespace, name: 'there' })).metadata.name).toBe('there');
    expect(fault.hits).toBe(times);
    expect((await client.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=there' })).items).toHaveLength(1);
  });

  it('writes once through 429, whatever the number of tries', async () => {
    proxy.inject({ times, match: { method: 'POST' }, fault: { kind: 'status', code: 429, retryAfterSeconds: 1 } });
    await client.create(CONFIG_MAPS, configMap('throttled'));
    await expect(client.create(CONFIG_MAPS, configMap('throttled'))).rejects.toMatchObject({ code: 'AlreadyExists' });
  });

  it('leaves a write whose answer was lost to the caller, who finds it carried out', async () => {
    proxy.inject({ times: 1, match: { method: 'POST' }, fault: { kind: 'reset', afterBytes: 10 } });
    await expect(client.create(CONFIG_MAPS, configMap('lost'))).rejects.toMatchObject({
      code: 'Unreachable',
      retryable: true,
    });
    expect(
      proxy.requests.filter(({ method, url }) => method === 'POST' && url.includes('/configmaps')).at(-1),
    ).toMatchObject({ method: 'POST' });
    const again: unknown = await client.create(CONFIG_MAPS, configMap('lost')).catch((error: unknown) => error);
    expect(isAlreadyExists(again)).toBe(true);
  });

  it('reads again what broke off in the middle', async () => {
    proxy.inject({ times: 1, match: { method: 'GET' }, fault: { kind: 'reset', afterBytes: 50 } });
    expect((await client.get(CONFIG_MAPS, { namespace, name: 'there' })).metadata.name).toBe('there');
  });

  it('takes half a list for no list, and a 401 that passes for what it is', async () => {
    proxy.inject({ times: 1, match: { method: 'GET' }, fault: { kind: 'truncate' } });
    await expect(client.list(CONFIG_MAPS, { namespace })).rejects.toMatchObject({ code: 'Malformed', retryable: true });
    let asked = 0;
    const renewing = createClient({
      name: 'provider',
      connection: {
        ...proxy.connection,
        credentials: {
          kind: 'dynamic',
          headers: () => {
            asked++;
            return Promise.resolve({});
          },
        },
      },
    });
    proxy.inject({ times: 1, match: { method: 'POST' }, fault: { kind: 'status', code: 401 } });
    await renewing.create(CONFIG_MAPS, configMap('renewed'));
    expect(asked).toBe(2);
    await renewing.close();
  });

  it('goes on after the server was away', async () => {
    await proxy.refuse();
    await expect(client.get(CONFIG_MAPS, { namespace, name: 'there' })).rejects.toMatchObject({ code: 'Unreachable' });
    await proxy.accept();
    await client.get(CONFIG_MAPS, { namespace, name: 'there' });
  });

  it('ends a watch that is dropped, and a request that takes too long', async () => {
    const stream = (await client.watch(CONFIG_MAPS, { namespace, resourceVersion: '0' }))[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ type: 'ADDED' });
    proxy.dropAll();
    const drained = async (): Promise<void> => {
      while ((await stream.next()).done !== true);
    };
    await expect(drained()).rejects.toMatchObject({ code: 'Unreachable' });
    proxy.inject({ match: { method: 'GET' }, fault: { kind: 'hang' } });
    await expect(client.get(CONFIG_MAPS, { namespace, name: 'there' }, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'Timeout',
    });
  });
});
