import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type APIServiceExport, type APIServiceExportRequest, isWithdrawn, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createExportController } from './export-controller.js';
import { createExportRequestController } from './export-request-controller.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('a consumer that asks again and again', () => {
  const group = uniqueGroup('pace');
  let cluster: ProviderCluster;

  beforeAll(async () => {
    cluster = await openProviderCluster(rights);
    await cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `databases.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    } as UnstructuredObject);
  });
  afterAll(() => cluster.close());

  const makeNamespace = async (): Promise<string> => {
    const name = uniqueNamespace('kube-bind');
    await cluster.client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  };
  const ask = (namespace: string, name: string, spec: object = {}): Promise<KubeObject> =>
    cluster.client.create(resources.apiServiceExportRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }], ...spec },
    } as UnstructuredObject);
  const phases = async (namespace: string): Promise<readonly (string | undefined)[]> =>
    (await cluster.client.list<APIServiceExportRequest>(resources.apiServiceExportRequests, { namespace })).items.map(
      ({ status }) => status?.phase,
    );
  const eventsOf = (running: Running, namespace: string): readonly string[] =>
    running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason);

  it('is served at a pace of its own: requests that fail at once, and are made anew, cost others nothing, one Event says so, and all are answered in the end', async () => {
    const [greedy, neighbour] = [await makeNamespace(), await makeNamespace()];
    // Final at once, so that none of them ever waits for anything.
    const claim = { group: '', resource: 'secrets', selector: { all: true } };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => ask(greedy, `r${index}`, { permissionClaims: [claim, claim] })),
    );
    await ask(neighbour, 'databases');
    const [start, pace] = [performance.now(), { burst: 5, refillMs: 300 }];
    const running = await cluster.run(
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', pace }),
      createExportController(),
    );
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
        expect(new Set(await phases(greedy))).toEqual(new Set(['Failed']));
      },
      { timeoutMs: 60_000 },
    );
    expect(await writesFor(greedy)).toBe(40);
    expect(performance.now() - start).toBeGreaterThan((40 - pace.burst) * pace.refillMs);
    expect(eventsOf(running, greedy).filter((reason) => reason === 'RequestsPaced')).toHaveLength(1);
    await running.stop();
  });

  it('gets back what it let go of at a pace of its own, too, since each turn takes all its rights and gives them again; they go at once', async () => {
    const namespace = await makeNamespace();
    const running = await cluster.run(
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed' }),
      createExportController({ restores: { burst: 2, refillMs: 10_000 } }),
    );
    await ask(namespace, 'databases');
    const key = { namespace, name: 'databases' };
    const withdrawn = async (): Promise<boolean> =>
      isWithdrawn((await cluster.client.get<APIServiceExport>(resources.apiServiceExports, key)).metadata);
    const unbound = (status: 'False' | 'True'): Promise<unknown> =>
      cluster.client.patch(
        resources.apiServiceExports,
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
