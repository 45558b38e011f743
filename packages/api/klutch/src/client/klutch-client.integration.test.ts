import { type Client, type KubeObject, commitStatus, createClient, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceExport as KubeBindExport,
  type APIServiceBinding as KubeBindBinding,
  type APIServiceNamespace,
  type BoundSchema,
  resources as kubeBind,
  setCondition,
  trueCondition,
} from '@hawser/kube-bind';
import { describeWithControlPlane, sharedControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { consumerCRDs, createKlutchClient, installCRDs, providerCRDs, resources } from '../index.js';

const apiVersion = 'klutch.anynines.com/v1alpha1';

describeWithControlPlane('a client of a cluster that speaks Klutch', () => {
  let wire: Client;
  let client: Client;
  const namespace = uniqueNamespace('cluster');
  const key = { namespace, name: 'databases.example.com' };

  beforeAll(async () => {
    wire = createClient({ name: 'provider', connection: (await sharedControlPlane('provider')).connection });
    client = createKlutchClient(wire);
    await installCRDs(wire, providerCRDs, { clock: systemClock });
    await wire.create(kubeBind.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await wire.create(resources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: key,
      spec: {
        group: 'example.com',
        names: { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' },
        scope: 'Namespaced',
        informerScope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    } as KubeObject);
  });
  afterAll(() => wire.close());

  it('reads an export as an export and as its schema', async () => {
    expect((await client.get<KubeBindExport>(kubeBind.apiServiceExports, key)).spec.resources).toEqual([
      { group: 'example.com', resource: 'databases', versions: ['v1'] },
    ]);
    const { items } = await client.list<BoundSchema>(kubeBind.boundSchemas, { namespace });
    expect(items.map(({ metadata, spec }) => [metadata.name, spec?.names.kind])).toEqual([
      ['databases.example.com', 'Database'],
    ]);
    expect(await client.get(kubeBind.apiServiceExports, key, { representation: 'metadata' })).not.toHaveProperty(
      'spec',
    );
  });

  it('tells of changes in the same shape', async () => {
    const closing = new AbortController();
    const stream = await client.watch<BoundSchema>(kubeBind.boundSchemas, { namespace, signal: closing.signal });
    await wire.patch(resources.apiServiceExports, key, {
      type: 'merge',
      patch: { metadata: { labels: { seen: 'yes' } } },
    });
    for await (const event of stream) {
      if (event.type === 'BOOKMARK') continue;
      expect(event.object.spec?.group).toBe('example.com');
      if (event.object.metadata.labels?.['seen'] === 'yes') break;
    }
    closing.abort();
  });

  it('what is said of the export and of its schema stands side by side', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const schema = await client.get<BoundSchema>(kubeBind.boundSchemas, key);
    const exported = await client.get<KubeBindExport>(kubeBind.apiServiceExports, key);
    await commitStatus(
      client,
      kubeBind.boundSchemas,
      schema,
      (status) => ({
        ...status,
        storedVersions: ['v1'],
        conditions: [...setCondition(status.conditions, trueCondition('Established'), now)],
      }),
      { clock: systemClock },
    );
    // From before the other write: a conflict, which looks again.
    await commitStatus(
      client,
      kubeBind.apiServiceExports,
      exported,
      (status) => ({ ...status, conditions: [...setCondition(status.conditions, trueCondition('Connected'), now)] }),
      { clock: systemClock },
    );
    const { status } = await wire.get(resources.apiServiceExports, key);
    expect(status).toMatchObject({
      storedVersions: ['v1'],
      conditions: [{ type: 'Connected' }, { type: 'Established' }],
    });
  });

  it('makes objects of Klutch', async () => {
    const made = await client.create<APIServiceNamespace>(kubeBind.apiServiceNamespaces, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: { namespace, name: 'team-a' },
    });
    expect(made.apiVersion).toBe(apiVersion);
    expect(await wire.get(resources.apiServiceNamespaces, { namespace, name: 'team-a' })).toMatchObject({
      metadata: { uid: made.metadata.uid },
    });
    await client.delete(kubeBind.apiServiceNamespaces, { namespace, name: 'team-a' });
  });

  it('knows that an object is missing by the kind that was asked for', async () => {
    expect(await getIfExists(client, kubeBind.boundSchemas, { namespace, name: 'zones.example.com' })).toBeUndefined();
    await expect(client.get(kubeBind.apiServiceBindingBundles, { name: 'x' })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  it('writes no status that Klutch has no place for', async () => {
    const app = createClient({ name: 'consumer', connection: (await sharedControlPlane('consumer')).connection });
    try {
      await installCRDs(app, consumerCRDs, { clock: systemClock });
      const name = `${uniqueNamespace('things')}.example.com`;
      await app.create(resources.apiServiceBindings, {
        apiVersion,
        kind: 'APIServiceBinding',
        metadata: { name },
        spec: { kubeconfigSecretRef: { namespace: 'klutch-bind', name: 'x', key: 'kubeconfig' } },
      } as KubeObject);
      const speaking = createKlutchClient(app);
      const binding = await speaking.get<KubeBindBinding>(kubeBind.apiServiceBindings, { name });
      const claims = [{ group: '', resource: 'secrets', selector: { labelSelector: {} } }];
      const after = await commitStatus(
        speaking,
        kubeBind.apiServiceBindings,
        binding,
        (status) => ({ ...status, permissionClaims: claims }),
        { clock: systemClock },
      );
      expect(after?.metadata.resourceVersion).toBe(binding.metadata.resourceVersion);
      const updated = await commitStatus(
        speaking,
        kubeBind.apiServiceBindings,
        binding,
        (status) => ({ ...status, permissionClaims: claims, providerPrettyName: 'P' }),
        { clock: systemClock },
      );
      expect(updated?.status?.providerPrettyName).toBe('P');
      expect((await app.get(resources.apiServiceBindings, { name }))['status']).toEqual({ providerPrettyName: 'P' });
    } finally {
      await app.close();
    }
  });
});
