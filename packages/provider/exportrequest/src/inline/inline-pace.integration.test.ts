import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  installCRDs,
  klutchDialect,
  providerCRDs,
} from '@hawser/klutch';
import { isWithdrawn, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { inlineRights } from '../testing/rights.js';
import { createInlineExportControllers } from './inline-controllers.js';

const kinds = klutchDialect.resources;

describeWithControlPlane('a consumer of Klutch that asks again and again', () => {
  const group = uniqueGroup('klutch');
  let cluster: ProviderCluster;

  beforeAll(async () => {
    cluster = await openProviderCluster(inlineRights);
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
    await cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `databases.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    } as UnstructuredObject);
    await cluster.client.create(kinds.apiServiceExportTemplates, {
      apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: `databases.${group}` },
      spec: { APIServiceSelector: { group, resource: 'databases' } },
    } as UnstructuredObject);
  });
  afterAll(() => cluster.close());

  const makeNamespace = async (): Promise<string> => {
    const name = uniqueNamespace('cluster');
    await cluster.client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  };
  const ask = (namespace: string, name: string, resource: string): Promise<KubeObject> =>
    cluster.client.create(kinds.apiServiceExportRequests, {
      apiVersion: klutchDialect.apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: [{ group, resource }] },
    } as UnstructuredObject);
  const phases = async (namespace: string): Promise<readonly (string | undefined)[]> =>
    (await cluster.client.list<APIServiceExportRequest>(kinds.apiServiceExportRequests, { namespace })).items.map(
      ({ status }) => status?.phase,
    );
  const eventsOf = (running: Running, namespace: string): readonly string[] =>
    running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason);

  it('is served at a pace of its own: requests for what nobody offers cost others nothing, and one Event says so', async () => {
    const [greedy, neighbour] = [await makeNamespace(), await makeNamespace()];
    await Promise.all(Array.from({ length: 40 }, (_, index) => ask(greedy, `r${index}`, `nothings${index}`)));
    await ask(neighbour, 'databases', 'databases');
    const [start, pace] = [performance.now(), { burst: 5, refillMs: 300 }];
    const running = await cluster.run(...createInlineExportControllers({ informerScope: 'Cluster', pace }));
    const writesFor = async (namespace: string): Promise<number> =>
      (await cluster.writes()).filter(
        (write) => write.resource === 'apiserviceexportrequests' && write.namespace === namespace,
      ).length;
    await eventually(async () => {
      expect(await phases(neighbour)).toEqual(['Succeeded']);
    });
    const [done, elapsed] = [await writesFor(greedy), performance.now() - start];
    expect(done).toBeLessThanOrEqual(pace.burst + Math.ceil(elapsed / pace.refillMs));
    expect(eventsOf(running, neighbour)).not.toContain('RequestsPaced');
    await eventually(
      async () => {
        expect(await writesFor(greedy)).toBe(40);
      },
      { timeoutMs: 90_000 },
    );
    expect(performance.now() - start).toBeGreaterThan((40 - pace.burst) * pace.refillMs);
    expect(eventsOf(running, greedy).filter((reason) => reason === 'RequestsPaced')).toHaveLength(1);
    await running.stop();
  });

  it('gets back what it let go of at a pace of its own, too; it goes at once', async () => {
    const namespace = await makeNamespace();
    const running = await cluster.run(
      ...createInlineExportControllers({ informerScope: 'Cluster', restores: { burst: 2, refillMs: 10_000 } }),
    );
    await ask(namespace, 'databases', 'databases');
    const key = { namespace, name: `databases.${group}` };
    const withdrawn = async (): Promise<boolean> =>
      isWithdrawn((await cluster.client.get<APIServiceExport>(kinds.apiServiceExports, key)).metadata);
    const unbound = (status: 'False' | 'True'): Promise<unknown> =>
      cluster.client.patch(
        kinds.apiServiceExports,
        key,
        {
          type: 'merge',
          patch: { status: { conditions: [{ type: 'Unbound', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
        },
        { subresource: 'status' },
      );
    await eventually(async () => {
      expect(await phases(namespace)).toEqual(['Succeeded']);
    });
    for (const round of [1, 2, 3]) {
      await unbound('True');
      await eventually(async () => {
        expect(await withdrawn()).toBe(true);
      });
      await unbound('False');
      if (round < 3)
        await eventually(async () => {
          expect(await withdrawn()).toBe(false);
        });
    }
    await eventually(() => {
      expect(eventsOf(running, namespace)).toContain('RestorePaced');
    });
    expect(await withdrawn()).toBe(true);
    await eventually(
      async () => {
        expect(await withdrawn()).toBe(false);
      },
      { timeoutMs: 60_000 },
    );
    expect(eventsOf(running, namespace).filter((reason) => reason === 'RestorePaced')).toHaveLength(1);
    await running.stop();
  });
});
