import { type Client, type KubeObject, createClient } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import { type Isolation, resources } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { parse } from 'yaml';
import { LONG, objectOf, resourceOf, synced } from './copies.js';
import {
  type GatewaySystem,
  type GatewayTenant,
  NAMESPACE,
  SHARED,
  gatewayUser,
  startGatewaySystem,
} from './gateway-system.js';
import { keepsInStep } from './keeps-in-step.js';
import { loggedTest } from './logged-test.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';
import type { BoundApi } from './system.js';

interface Served {
  readonly isolation: Isolation;
  readonly api: SampleApi;
  readonly namespace: string | undefined;
  readonly title: string;
}

const apiOf = (plural: string, kind: string, scope: SampleApi['scope']): SampleApi => ({
  ...databases,
  plural,
  kind,
  scope,
});
const served: readonly Served[] = [
  { isolation: 'Prefixed', api: databases, namespace: NAMESPACE, title: 'namespaced, informer scope Cluster' },
  { isolation: 'Prefixed', api: apiOf('zones', 'Zone', 'Cluster'), namespace: undefined, title: 'cluster-scoped' },
  { isolation: 'None', api: apiOf('vaults', 'Vault', 'Namespaced'), namespace: SHARED, title: 'namespaced' },
  { isolation: 'None', api: apiOf('realms', 'Realm', 'Cluster'), namespace: undefined, title: 'cluster-scoped' },
  {
    isolation: 'Namespaced',
    api: apiOf('plots', 'Plot', 'Namespaced'),
    namespace: undefined,
    title: 'namespaced on the provider',
  },
];
const apis = served.map(({ api }) => api);

(onGivenClusters() ? describe.skip : describe)('behind a gateway', () => {
  describeWithControlPlane(
    'two consumers',
    () => {
      let system: GatewaySystem;
      let tenants: readonly GatewayTenant[] = [];
      const bound = new Map<string, BoundApi>();
      const clients: Client[] = [];
      const it = loggedTest(jestIt, 'gateway', () => system.logs());

      beforeAll(async () => {
        system = await startGatewaySystem(apis);
        // It brings the CRDs that the gateway reads.
        await system.provideIn('Prefixed');
        await Promise.all(system.replicas.map((replica) => replica.start()));
        tenants = await Promise.all(['a', 'b'].map((name) => system.tenant(name, apis)));
      }, 300_000);
      afterAll(async () => {
        await Promise.all(clients.map((client) => client.close()));
        await system.close();
      }, 60_000);

      const clientOf = (tenant: GatewayTenant): Client => {
        const client = createClient({ name: 'provider', connection: connectionOf(tenant.kubeconfig) });
        clients.push(client);
        return client;
      };
      const boundBy = (tenant: GatewayTenant, { plural }: SampleApi): BoundApi => {
        const found = bound.get(`${tenant.clusterNamespace}/${plural}`);
        if (found === undefined) throw new Error(`${plural} was not bound`);
        return found;
      };

      for (const { isolation, api, namespace, title } of served) {
        it(`isolation ${isolation}, ${title}: objects are in step, and each consumer sees its own`, async () => {
          await system.provideIn(isolation);
          await Promise.all(
            tenants.map(async (tenant) => {
              bound.set(`${tenant.clusterNamespace}/${api.plural}`, await tenant.bind(api, isolation));
            }),
          );
          // One after the other, since under isolation None they want the same name.
          for (const tenant of tenants)
            await keepsInStep(
              { consumer: tenant.plane, provider: system.provider },
              boundBy(tenant, api),
              api,
              namespace,
            );
          for (const [index, tenant] of tenants.entries()) {
            const key = { name: `of-${index}`, ...(namespace === undefined ? {} : { namespace }) };
            const sides = { consumer: tenant.plane, provider: system.provider };
            await tenant.plane.apply(objectOf(api, key, { canary: tenant.clusterNamespace }));
            await synced(sides, boundBy(tenant, api), api, key);
          }
          const all = (await system.provider.client.list(resourceOf(api))).items;
          expect(all).toHaveLength(2);
          for (const tenant of tenants) {
            const { items } = await clientOf(tenant).list<KubeObject & { readonly spec: { readonly canary: string } }>(
              resourceOf(api),
            );
            expect(items.map(({ spec }) => spec.canary)).toEqual([tenant.clusterNamespace]);
          }
        });
      }

      it('nothing is refused for want of a shared cluster scope, and nobody was given a right to read in the whole cluster', async () => {
        const exports = await system.provider.client.list(resources.apiServiceExports);
        expect(JSON.stringify(exports)).not.toContain('SharedClusterScopeRequired');
        const bindings = await system.provider.client.list<
          KubeObject & { readonly roleRef: { readonly name: string } }
        >(resources.clusterRoleBindings);
        expect(
          bindings.items
            .map(({ roleRef }) => roleRef.name)
            .filter((name) => /^kube-binder:(objects|watch)/u.test(name)),
        ).toEqual([]);
      });

      it('one replica is killed, the certificate is replaced, the API server restarts: objects come and go, and none is lost', async () => {
        const [zones] = served.filter(({ api }) => api.plural === 'zones');
        const [first] = tenants;
        if (zones === undefined || first === undefined) throw new Error('nothing was bound');
        const sides = { consumer: first.plane, provider: system.provider };
        const inStep = async (name: string): Promise<void> => {
          await first.plane.apply(objectOf(zones.api, { name }));
          await synced(sides, boundBy(first, zones.api), zones.api, { name });
        };
        const kept = (await system.provider.client.list(resourceOf(zones.api))).items.map(
          ({ metadata }) => metadata.uid,
        );
        await system.replicas[0]?.stop('SIGKILL');
        await inStep('while-one-is-gone');
        await system.rotate();
        await system.replicas[0]?.start();
        await system.replicas[1]?.stop('SIGTERM');
        await inStep('while-the-other-is-gone');
        await system.provider.controlPlane?.restartApiServer();
        await inStep('after-the-restart');
        const now = (await system.provider.client.list(resourceOf(zones.api))).items.map(
          ({ metadata }) => metadata.uid,
        );
        expect(now).toEqual(expect.arrayContaining(kept));
        await system.replicas[1]?.start();
      });

      it('a consumer that is revoked sees nothing any more, and keeps what it has', async () => {
        const [, second] = tenants;
        const [zones] = apis.filter(({ plural }) => plural === 'zones');
        if (second === undefined || zones === undefined) throw new Error('nothing was bound');
        const client = clientOf(second);
        const before = (await second.plane.client.list(resourceOf(zones))).items;
        const stream = await client.watch(resourceOf(zones));
        const ended = (async () => {
          for await (const event of stream) expect(event).toBeDefined();
        })().catch(() => undefined);
        const from = Date.now();
        await system.provider.client.patch(
          resources.namespaces,
          { name: second.clusterNamespace },
          { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/withdrawn': 'sold' } } } },
        );
        await ended;
        expect(Date.now() - from).toBeLessThan(2_000);
        await eventually(
          () => expect(client.list(resourceOf(zones))).rejects.toMatchObject({ code: 'Forbidden' }),
          LONG,
        );
        expect((await second.plane.client.list(resourceOf(zones))).items.map(({ metadata }) => metadata.uid)).toEqual(
          before.map(({ metadata }) => metadata.uid),
        );
      });

      it('the rights that the chart gives the gateway were enough, and it has written nothing', async () => {
        expect(await refusedRequests(system.provider, gatewayUser, [])).toEqual([]);
        expect(await system.provider.controlPlane?.auditLog().writes({ user: gatewayUser })).toEqual([]);
      });
    },
    { controllerManager: true },
  );
});

function connectionOf(kubeconfig: string): ConnectionConfig {
  const { clusters, users } = parse(kubeconfig) as {
    readonly clusters: readonly {
      readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
    }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const [{ cluster } = { cluster: { server: '', 'certificate-authority-data': '' } }] = clusters;
  return {
    server: cluster.server,
    caData: Buffer.from(cluster['certificate-authority-data'], 'base64').toString('utf8'),
    credentials: { kind: 'token', token: users[0]?.user.token ?? '' },
  };
}
