import { afterAll, beforeAll, expect } from '@jest/globals';
import { createFaultProxy, type FaultProxy } from '@hawser/faultproxy';
import { type SampleApi, databases } from '@hawser/installation';
import { fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { LONG, createNamespace, objectOf, resourceOf, synced } from './copies.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';

const NAMESPACE = 'team-a';
const buckets: SampleApi = { ...databases, plural: 'buckets', kind: 'Bucket' };

describeSystem(
  'an orderly end',
  () => ({ name: 'stop' }),
  (system, it) => {
    let proxy: FaultProxy;
    let bound: BoundApi;

    beforeAll(async () => {
      await createNamespace(system(), NAMESPACE);
      proxy = await createFaultProxy({ upstream: system().provider.connection });
      const konnector = await system().startKonnector();
      bound = await system().bind({ name: 'databases', apis: [databases, buckets], connection: proxy.connection });
      await ready(system(), 'databases');
      await eventually(() => create('before'), LONG);
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: 'before' });
      await konnector.stop();
    }, 240_000);
    afterAll(async () => {
      await proxy.stop();
    });

    const create = (name: string, api = databases): Promise<unknown> =>
      system().consumer.client.create(resourceOf(api), objectOf(api, { namespace: NAMESPACE, name }));
    const leaseHolder = (): Promise<string> =>
      system().consumer.kubectl([
        'get',
        'lease',
        '-n',
        fixedNames.konnectorNamespace,
        'kube-bind',
        '-o',
        'jsonpath={.spec.holderIdentity}',
      ]);
    const endsInTime = async (konnector: Program): Promise<void> => {
      const from = Date.now();
      expect(await konnector.stop('SIGTERM', 15_000)).toEqual({ code: 0, signal: null });
      expect(Date.now() - from).toBeLessThan(10_000);
      expect(await leaseHolder()).toBe('');
    };

    it('comes within 10 s, and with the lease released, although the provider answers nothing any more', async () => {
      const konnector = await system().startKonnector();
      for (const api of [databases, buckets]) {
        await create('working', api);
        await synced(system(), bound, api, { namespace: NAMESPACE, name: 'working' });
      }
      const held: string[] = [];
      const { promise, resolve } = Promise.withResolvers<undefined>();
      proxy.inject({
        fault: {
          kind: 'hold',
          until: ({ method, url }) => {
            held.push(`${method} ${url}`);
            return promise;
          },
        },
      });
      for (const api of [databases, buckets])
        for (let index = 0; index < 5; index++) await create(`held-${index}`, api);
      // The controllers of the connection have something to write, too.
      const status = { type: 'merge', patch: { status: { conditions: null } } } as const;
      await system().provider.client.patch(
        resources.apiServiceExports,
        { namespace: bound.clusterNamespace, name: 'databases' },
        status,
        { subresource: 'status' },
      );
      await system().provider.client.patch(
        resources.clusterBindings,
        { namespace: bound.clusterNamespace, name: 'cluster' },
        status,
        { subresource: 'status' },
      );
      const holds = (method: string, path: string): number =>
        held.filter((line) => line.startsWith(method) && line.includes(path)).length;
      await eventually(() => {
        expect([
          holds('POST', '/databases'),
          holds('POST', '/buckets'),
          holds('PATCH', '/apiserviceexports/'),
          holds('PATCH', '/clusterbindings/'),
        ]).toEqual([5, 5, 1, 1]);
      }, LONG);
      await endsInTime(konnector);
      await proxy.clear();
      resolve(undefined);
    });
  },
);
