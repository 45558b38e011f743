import type { ObjectKey } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import { type APIServiceBinding, klutchDialect } from '@hawser/klutch';
import { resources as kubernetes } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { LONG, type ServiceObject, objectOf, resourceOf } from './copies.js';
import { gatewayUser } from './gateway-program.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { type KlutchTenant, openKlutchTenant } from './klutch-tenant.js';
import type { KlutchClient } from './klutch-world.js';
import { refusedRequests } from './refused-requests.js';

const { apiVersion } = klutchDialect;
const zones: SampleApi = { ...databases, plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const apis = [databases, zones];
const NAMESPACE = 'team-a';
const claims: APIServiceBinding['spec']['permissionClaims'] = [
  {
    group: '',
    version: 'v1',
    resource: 'secrets',
    selector: { names: ['*'], namespaces: ['*'], owner: 'Provider' },
    state: 'Accepted',
  },
];

interface Party extends KlutchTenant {
  readonly consumer: KlutchClient;
}

describeKlutchWorld(
  'konnectors of Klutch behind a gateway',
  { name: 'klutch-gateway', apis, gateway: true },
  (world, it) => {
    let parties: readonly Party[] = [];

    const party = async (clusterNamespace: string): Promise<Party> => {
      const consumer = await world().onboard(clusterNamespace);
      await world().plane.apply({
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'all', namespace: clusterNamespace },
        spec: { resources: apis.map(({ group, plural }) => ({ group, resource: plural })) },
      });
      const tenant = await openKlutchTenant(world(), consumer, apis, claims);
      await tenant.plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      return { ...tenant, consumer };
    };
    beforeAll(async () => {
      parties = [await party('cluster-one'), await party('cluster-two')];
    }, 480_000);
    afterAll(async () => {
      await Promise.all(parties.map((each) => each.close()));
    }, 120_000);

    const copyKey = ({ consumer: { clusterNamespace } }: Party, { scope }: SampleApi, name: string): ObjectKey =>
      scope === 'Cluster'
        ? { name: `${clusterNamespace}-${name}` }
        : { namespace: `${clusterNamespace}-${NAMESPACE}`, name };
    const ownKey = ({ scope }: SampleApi, name: string): ObjectKey =>
      scope === 'Cluster' ? { name } : { namespace: NAMESPACE, name };
    const copyOf = (of: Party, api: SampleApi): Promise<ServiceObject | undefined> =>
      world().plane.find(resourceOf(api), copyKey(of, api, 'orders'));

    for (const api of apis)
      it(`${api.plural}: objects are in step, and each consumer sees its own alone, in the whole cluster`, async () => {
        for (const each of parties) {
          const canary = each.consumer.clusterNamespace;
          await eventually(() => each.plane.apply(objectOf(api, ownKey(api, 'orders'), { canary })), LONG);
          await eventually(async () => {
            expect((await copyOf(each, api))?.spec).toEqual({ canary });
          }, LONG);
          await each.plane.apply(objectOf(api, ownKey(api, 'orders'), { canary, size: 'large' }));
          await eventually(async () => {
            expect((await copyOf(each, api))?.spec).toEqual({ canary, size: 'large' });
          }, LONG);
          const key = copyKey(each, api, 'orders');
          const patch = { type: 'merge', patch: { status: { phase: canary } } } as const;
          await world().plane.client.patch(resourceOf(api), key, patch, { subresource: 'status' });
          await eventually(async () => {
            const { status } = await each.plane.client.get<ServiceObject>(resourceOf(api), ownKey(api, 'orders'));
            expect(status).toEqual({ phase: canary });
          }, LONG);
        }
        for (const { consumer } of parties) {
          const { status, text } = await consumer.send('GET', `/apis/example.com/v1/${api.plural}`);
          const { items } = JSON.parse(text) as { readonly items: readonly ServiceObject[] };
          expect({ status, of: items.map(({ spec }) => spec?.['canary']) }).toEqual({
            status: 200,
            of: [consumer.clusterNamespace],
          });
        }
        const [first, second] = parties;
        if (first === undefined || second === undefined) throw new Error('there are no consumers');
        await first.plane.kubectl([
          'delete',
          `${api.plural}.${api.group}`,
          'orders',
          ...(api.scope === 'Cluster' ? [] : ['-n', NAMESPACE]),
          '--timeout=60s',
        ]);
        expect(await copyOf(first, api)).toBeUndefined();
        expect(await copyOf(second, api)).toBeDefined();
      });

    it('a Secret of the provider comes to the consumer that it was made for', async () => {
      const [first, second] = parties;
      if (first === undefined || second === undefined) throw new Error('there are no consumers');
      const namespace = `${second.consumer.clusterNamespace}-${NAMESPACE}`;
      await world().plane.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'creds', namespace },
        stringData: { password: 'x' },
      });
      await eventually(async () => {
        expect(await second.plane.find(kubernetes.secrets, { namespace: NAMESPACE, name: 'creds' })).toBeDefined();
      }, LONG);
      expect(await first.plane.find(kubernetes.secrets, { namespace: NAMESPACE, name: 'creds' })).toBeUndefined();
      expect((await first.consumer.send('GET', `/api/v1/namespaces/${namespace}/secrets`)).status).toBe(403);
    });

    it('needed no right of the gateway that the chart does not give', async () => {
      expect(await refusedRequests(world().plane, gatewayUser)).toEqual([]);
      expect(await world().plane.controlPlane?.auditLog().writes({ user: gatewayUser })).toEqual([]);
    });
  },
);
