import { createClient, type KubeObject } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createConsumerLimitsController } from './limits-controller.js';
import { type ProviderCluster, openProviderCluster } from './testing/provider-cluster.js';
import { limitRights } from './testing/rights.js';

const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
const ranges = { group: '', version: 'v1', resource: 'limitranges' };
const counted = 'count/apiserviceexportrequests.kube-bind.io';

describeWithControlPlane('createConsumerLimitsController', () => {
  let cluster: ProviderCluster;
  beforeAll(async () => {
    cluster = await openProviderCluster(limitRights);
  });
  afterAll(() => cluster.close());

  const limits = (requests: string) => ({
    clusterNamespace: { resourceQuota: { hard: { [counted]: requests } } },
    serviceNamespace: {
      resourceQuota: { hard: { 'count/configmaps': '10' } },
      limitRange: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] },
    },
  });
  const make = (name: string, annotations: Record<string, string>): Promise<KubeObject> =>
    cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, annotations },
    });
  const request = (namespace: string, name: string): KubeObject =>
    ({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: [{ group: 'example.com', resource: 'databases' }] },
    }) as KubeObject;

  it('limits what one consumer makes, leaves others alone, and costs nothing again', async () => {
    const consumer = uniqueNamespace('kube-bind');
    const other = uniqueNamespace('kube-bind');
    const plain = uniqueNamespace('plain');
    for (const name of [consumer, other]) await make(name, { 'backend.kube-bind.io/identity': name });
    await make(`${consumer}-team-a`, { 'kube-bind.io/api-service-namespace': `${consumer}/team-a` });
    await make(plain, {});
    const first = await cluster.run(createConsumerLimitsController(limits('2')));
    const key = { namespace: consumer, name: 'hawser' };
    await eventually(async () => {
      expect(await cluster.client.get(quotas, key)).toMatchObject({ spec: { hard: { [counted]: '2' } } });
      expect(await cluster.client.get(ranges, { namespace: `${consumer}-team-a`, name: 'hawser' })).toMatchObject({
        spec: { limits: [{ type: 'Container' }] },
      });
    });
    expect((await cluster.client.list(quotas, { namespace: plain })).items).toEqual([]);

    // What the quota controller of a whole control plane does.
    for (const namespace of [consumer, other])
      await cluster.client.patch(
        quotas,
        { namespace, name: 'hawser' },
        { type: 'merge', patch: { status: { hard: { [counted]: '2' }, used: { [counted]: '0' } } } },
        { subresource: 'status' },
      );
    await cluster.grant([{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests'], verbs: ['create'] }]);
    const { connection } = await cluster.plane.userAccess('hawser-under-test');
    const client = createClient({ name: 'consumer', connection });
    try {
      // The API server hears of the right by a watch.
      await eventually(() => client.create(resources.apiServiceExportRequests, request(consumer, 'r0')));
      await client.create(resources.apiServiceExportRequests, request(consumer, 'r1'));
      await expect(client.create(resources.apiServiceExportRequests, request(consumer, 'r2'))).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining('exceeded quota'),
      });
      await client.create(resources.apiServiceExportRequests, request(other, 'r0'));
    } finally {
      await client.close();
    }

    const writes = async (): Promise<number> =>
      (await cluster.settledWrites()).filter(({ resource }) => resource !== 'apiserviceexportrequests').length;
    const before = await writes();
    await first.stop();
    const second = await cluster.run(createConsumerLimitsController(limits('2')));
    expect(await writes()).toBe(before);
    await second.stop();
    const third = await cluster.run(createConsumerLimitsController(limits('3')));
    await eventually(async () => {
      expect(await cluster.client.get(quotas, key)).toMatchObject({ spec: { hard: { [counted]: '3' } } });
    });
    await third.stop();
  });
});
