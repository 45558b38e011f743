import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { FakeClock, systemClock } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type SchemaAnswer,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { noEvents, silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';
import { ProviderReports } from './provider-reports.js';

const key = { namespace: 'kube-bind-x', name: 'databases' };
const { signal } = new AbortController();

it('an export that is bound in another cluster with the same kubeconfig is soon called unbound ever less often', async () => {
  const server = createApiServer();
  const client = createClient({
    name: 'provider',
    connection: { server: 'https://provider.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  const clock = new FakeClock();
  try {
    await installCRDs(client, providerCRDs, { clock: systemClock });
    await client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: key.namespace },
    });
    await client.create(resources.apiServiceExports, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: key,
      spec: {
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    } as unknown as APIServiceExport);
    const cluster = { client, events: noEvents };
    const none = { get: () => undefined, list: () => [], has: () => false };
    const reports = new ProviderReports({
      ctx: {
        clusters: { consumer: cluster, provider: cluster },
        clock,
        random: () => 0.5,
        logger: silentLogger,
      } as never,
      namespace: key.namespace,
      exports: { ...none, hasSynced: false } as never,
      schemas: none as never,
      bindings: none as never,
      served: none as never,
      outcomes: undefined,
    });
    let reported = 0;
    for (let rounds = 0; rounds < 60; rounds++) {
      // The other cluster says so each time.
      const conditions = [{ type: 'Connected', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
      const found = await client.patch<APIServiceExport>(
        resources.apiServiceExports,
        key,
        { type: 'merge', patch: { status: { conditions } } },
        { subresource: 'status' },
      );
      if ((await reports.report({ export: found, binding: undefined, resources: [] }, undefined, signal)) === 0)
        reported++;
      await clock.advance(2_000);
    }
    expect(reported).toBe(6);
  } finally {
    await client.close();
  }
});

it('what another cluster with the same kubeconfig says of a schema in turn is said against it ever less often', async () => {
  const server = createApiServer();
  const client = createClient({
    name: 'provider',
    connection: { server: 'https://provider.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  const clock = new FakeClock();
  const at = { namespace: key.namespace, name: 'databases.example.com' };
  try {
    await installCRDs(client, providerCRDs, { clock: systemClock });
    await client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: key.namespace },
    });
    const apiExport = await client.create<APIServiceExport>(resources.apiServiceExports, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: key,
      spec: {
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    } as unknown as APIServiceExport);
    await client.create(resources.boundSchemas, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'BoundSchema',
      metadata: at,
      spec: {
        informerScope: 'Namespaced',
        group: 'example.com',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: '{\"type\":\"object\"}' } }],
      },
    } as unknown as BoundSchema);
    const cluster = { client, events: noEvents };
    const none = { get: () => undefined, list: () => [], has: () => false };
    const answer: SchemaAnswer = { kind: 'refused', hash: 'h', reason: 'Held', message: 'no' };
    const reports = new ProviderReports({
      ctx: {
        clusters: { consumer: cluster, provider: cluster },
        clock,
        random: () => 0.5,
        logger: silentLogger,
      } as never,
      namespace: key.namespace,
      exports: { ...none, hasSynced: false } as never,
      schemas: none as never,
      bindings: none as never,
      served: none as never,
      outcomes: { get: () => answer } as never,
    });
    const binding = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      metadata: { name: 'databases', uid: 'b' },
    } as APIServiceBinding;
    let writes = 0;
    for (let rounds = 0; rounds < 300; rounds++) {
      // The other cluster says something else each time.
      const conditions = [
        {
          type: 'SchemaApplied',
          status: 'True',
          reason: 'Applied',
          message: 'h',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ];
      const found = await client.patch<BoundSchema>(
        resources.boundSchemas,
        at,
        { type: 'merge', patch: { status: { conditions } } },
        { subresource: 'status' },
      );
      await reports.report(
        {
          export: apiExport,
          binding,
          resources: [{ name: at.name, schema: { kind: 'found', schema: found }, crd: undefined }],
        } as never,
        undefined,
        signal,
      );
      const after = await client.get<BoundSchema>(resources.boundSchemas, at);
      if (after.metadata.resourceVersion !== found.metadata.resourceVersion) writes++;
      await clock.advance(2_000);
    }
    expect(writes).toBeGreaterThan(2);
    expect(writes).toBeLessThan(20);
  } finally {
    await client.close();
  }
});
