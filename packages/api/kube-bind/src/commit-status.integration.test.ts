import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import { type Client, commitStatus, createClient } from '@hawser/client';
import {
  describeWithControlPlane,
  type SharedControlPlane,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { markFalse, markTrue } from './conditions/condition-list.js';
import { setSummary } from './conditions/summary.js';
import { crdOf } from './crd/crds.js';
import { installCRDs } from './crd/install.js';
import type { APIServiceBinding, APIServiceBindingStatus } from './kinds/api-service-binding.js';
import { resources } from './resources.js';

const options = { clock: systemClock };
const now = Date.UTC(2026, 0, 1);

describeWithControlPlane('commitStatus', () => {
  let cluster: SharedControlPlane;
  let client: Client;
  let binding: APIServiceBinding;

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    client = createClient({ name: 'consumer', connection: cluster.connection });
    await installCRDs(client, [crdOf('APIServiceBinding')], options);
  });

  afterAll(async () => {
    await client.close();
  });

  const create = (name: string): Promise<APIServiceBinding> =>
    client.create<APIServiceBinding>(resources.apiServiceBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      metadata: { name, finalizers: [] },
      spec: { kubeconfigSecretRef: { name: 's', key: 'kubeconfig', namespace: 'kube-bind' } },
    } as APIServiceBinding);

  beforeEach(async () => {
    binding = await create(uniqueNamespace('commit'));
  });

  const mark =
    (type: string) =>
    (status: APIServiceBindingStatus): APIServiceBindingStatus => ({
      ...status,
      conditions: markTrue(status.conditions, type, now),
    });
  const read = (): Promise<APIServiceBinding> =>
    client.get<APIServiceBinding>(resources.apiServiceBindings, binding.metadata);
  const types = (object: APIServiceBinding | undefined): string[] =>
    (object?.status?.conditions ?? []).map(({ type }) => type);

  it('writes the change and returns what then stands', async () => {
    const result = await commitStatus(
      client,
      resources.apiServiceBindings,
      binding,
      (status) => ({ ...mark('Connected')(status), providerPrettyName: 'Acme' }),
      options,
    );
    expect(result).toEqual(await read());
    expect(result?.status).toEqual({
      providerPrettyName: 'Acme',
      conditions: [{ type: 'Connected', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    expect(result?.spec).toEqual(binding.spec);
  });

  it('asks nothing of the server if nothing changes', async () => {
    const first = await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options);
    const since = await cluster.auditLog().mark();
    const second = await commitStatus(
      client,
      resources.apiServiceBindings,
      first!,
      (status) => ({ ...mark('Connected')(status), boundSchemas: [] }),
      options,
    );
    expect(second).toBe(first);
    expect(
      await cluster.auditLog().entries({ since, resource: 'apiservicebindings', name: binding.metadata.name }),
    ).toEqual([]);
  });

  it('removes a field', async () => {
    const first = await commitStatus(
      client,
      resources.apiServiceBindings,
      binding,
      () => ({ providerPrettyName: 'Acme' }),
      options,
    );
    await commitStatus(
      client,
      resources.apiServiceBindings,
      first!,
      (status) => mark('Connected')({ ...status, providerPrettyName: undefined }),
      options,
    );
    expect((await read()).status).toEqual({
      conditions: [{ type: 'Connected', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
  });

  it('on a stale object applies the change to the newest status', async () => {
    await commitStatus(client, resources.apiServiceBindings, binding, mark('SecretValid'), options);
    const result = await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options);
    expect(types(result)).toEqual(['Connected', 'SecretValid']);
  });

  it('writes nothing if the newest status has the change already', async () => {
    await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options);
    const { resourceVersion } = (await read()).metadata;
    const result = await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options);
    expect(result?.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('loses no condition of twelve writers at once', async () => {
    const all = Array.from({ length: 12 }, (_, index) => `Writer${String.fromCharCode(65 + index)}`);
    await Promise.all(
      all.map((type) =>
        commitStatus(
          client,
          resources.apiServiceBindings,
          binding,
          (status) => ({
            ...status,
            conditions: setSummary(markFalse(status.conditions, type, 'R', 'Info', 'm', now), now),
          }),
          { ...options, maxTries: 30 },
        ),
      ),
    );
    expect(types(await read())).toEqual(['Ready', ...all]);
  });

  it('stops silently if the object is gone', async () => {
    await client.delete(resources.apiServiceBindings, binding.metadata);
    expect(
      await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options),
    ).toBeUndefined();
  });

  it('never writes to another object of the same name', async () => {
    await client.delete(resources.apiServiceBindings, binding.metadata);
    await create(binding.metadata.name);
    expect(
      await commitStatus(client, resources.apiServiceBindings, binding, mark('Connected'), options),
    ).toBeUndefined();
    expect((await read()).status).toBeUndefined();
  });

  it('reports what the server refuses, and does not insist', async () => {
    const bad = { type: 'Connected', status: 'True', lastTransitionTime: 'yesterday' } as const;
    await expect(
      commitStatus(
        client,
        resources.apiServiceBindings,
        binding,
        (status) => ({ ...status, conditions: [bad] }),
        options,
      ),
    ).rejects.toMatchObject({ code: 'Invalid' });
  });

  it('gives up after the given number of conflicts', async () => {
    // Somebody is always faster.
    const racing = async (): Promise<void> => {
      await commitStatus(
        client,
        resources.apiServiceBindings,
        await read(),
        (status) => ({ ...status, providerPrettyName: crypto.randomUUID() }),
        options,
      );
    };
    const rival: Client = {
      ...bound(client),
      patch: async (...args) => {
        await racing();
        return client.patch(...args);
      },
    };
    await expect(
      commitStatus(rival, resources.apiServiceBindings, binding, mark('Connected'), { ...options, maxTries: 3 }),
    ).rejects.toMatchObject({ code: 'Conflict' });
  });
});

/** The methods of a client as fields, so that one of them can be wrapped. */
function bound(client: Client): Client {
  return {
    name: client.name,
    get: client.get.bind(client),
    list: client.list.bind(client),
    create: client.create.bind(client),
    update: client.update.bind(client),
    patch: client.patch.bind(client),
    delete: client.delete.bind(client),
    watch: client.watch.bind(client),
    raw: client.raw.bind(client),
    withWriteGuard: client.withWriteGuard.bind(client),
    at: client.at.bind(client),
    close: client.close.bind(client),
  };
}
