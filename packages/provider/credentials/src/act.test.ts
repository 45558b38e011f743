import { createApiServer, listen } from '@hawser/apiserver';
import { type Client, type KubeObject, ServerTime, createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { type ClusterBinding, type Secret, kubeBindDialect, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';
import { type ActOptions, act } from './act.js';

const namespace = 'default';
const { signal } = new AbortController();
const binding: ClusterBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
};
const key = { namespace, name: 'kubeconfig' };

async function withServer(body: (client: Client, options: ActOptions) => Promise<void>): Promise<void> {
  const server = createApiServer();
  const listener = await listen(server);
  const client = createClient({
    name: 'provider',
    connection: {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token', token: server.adminToken },
    },
  });
  const clock = new FakeClock();
  const informers = createSharedInformers({ client, clock, random: () => 0, logger: silentLogger, metrics: noMetrics });
  const kubeconfigs = informers.acquire<Secret>({
    resource: resources.secrets,
    fieldSelector: 'metadata.name=kubeconfig',
  });
  try {
    await body(client, {
      client,
      settings: { dialect: kubeBindDialect, tokenLifeMs: 3_600_000, overlapMs: 0 },
      endpoint: () => ({ server: 'https://provider.example' }),
      kubeconfigs,
      serverTime: new ServerTime(clock),
      onMade: () => undefined,
    });
  } finally {
    await informers.close();
    await client.close();
    await listener.close();
    server.stop();
  }
}

function token(client: Client, name: string, value: string): Promise<Secret> {
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    data: { token: Buffer.from(value).toString('base64') },
  };
  return client.create(resources.secrets, object);
}

it('hands out no token that ended with its Secret, whatever the cache still has', () =>
  withServer(async (client, options) => {
    const write = (from: Secret, text: string): Promise<string | undefined> =>
      act(
        options,
        {
          type: 'writeToken',
          binding,
          secret: undefined,
          token: text,
          from,
          ledger: { slot: 'kube-binder-next', madeFor: 'Legacy/monday' },
        },
        signal,
      ).then(
        () => 'written',
        (error: unknown) => (error as { readonly code?: string }).code,
      );
    const isThere = (): Promise<boolean> =>
      client.get(resources.secrets, key).then(
        () => true,
        () => false,
      );
    const lost = await token(client, 'kube-binder-next', 'first');
    await client.delete(resources.secrets, { namespace, name: 'kube-binder-next' });
    expect([await write(lost, 'first'), await isThere()]).toEqual(['StaleSlot', false]);
    const again = await token(client, 'kube-binder-next', 'second');
    expect([await write(lost, 'first'), await isThere()]).toEqual(['StaleSlot', false]);
    await client.patch(
      resources.secrets,
      { namespace, name: 'kube-binder-next' },
      { type: 'merge', patch: { data: { token: Buffer.from('third').toString('base64') } } },
    );
    expect([await write(again, 'second'), await isThere()]).toEqual(['StaleSlot', false]);
    expect([
      await write(await client.get<Secret>(resources.secrets, { namespace, name: 'kube-binder-next' }), 'third'),
      await isThere(),
    ]).toEqual(['written', true]);
  }));

it('makes no token Secret for an account that is gone or made anew, whatever the cache still has', () =>
  withServer(async (client, options) => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'kube-binder', namespace } };
    const create = (from: KubeObject): Promise<string | undefined> =>
      act(
        options,
        { type: 'createSlot', account: from, slot: 'kube-binder', mode: 'Legacy', madeFor: 'Legacy/' },
        signal,
      ).then(
        () => 'created',
        (error: unknown) => (error as { readonly code?: string }).code,
      );
    const lost = await client.create(resources.serviceAccounts, account);
    await client.delete(resources.serviceAccounts, { namespace, name: 'kube-binder' });
    expect(await create(lost)).toBe('StaleAccount');
    const again = await client.create(resources.serviceAccounts, account);
    expect(await create(lost)).toBe('StaleAccount');
    expect(await create(again)).toBe('created');
  }));

it('deletes no token that a restored kubeconfig hands out again, whatever the cache still has', () =>
  withServer(async (client, options) => {
    const old = await token(client, 'kube-binder', 'old');
    const deletion = (): Promise<void> =>
      act(options, { type: 'deleteSlot', secret: old, because: 'replaced', kubeconfig: key.name }, signal);
    await expect(deletion()).rejects.toMatchObject({ code: 'StaleSlot' });
    await client.create(resources.secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key });
    await expect(deletion()).rejects.toMatchObject({ code: 'StaleSlot' });
    expect((await client.get<Secret>(resources.secrets, { namespace, name: 'kube-binder' })).metadata.uid).toBe(
      old.metadata.uid,
    );
    const annotations = { 'hawser.dev/credential-slot': 'kube-binder-next' };
    await client.patch(resources.secrets, key, { type: 'merge', patch: { metadata: { annotations } } });
    await deletion();
    await expect(client.get(resources.secrets, { namespace, name: 'kube-binder' })).rejects.toMatchObject({
      code: 'NotFound',
    });
  }));
