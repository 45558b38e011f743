import { existsSync } from 'node:fs';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import type { InformerScope, Isolation } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
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

const program = process.env['HAWSER_GO_KONNECTOR'] ?? '';
const isThere = program !== '' && existsSync(program);

interface Served {
  readonly isolation: Isolation;
  readonly scope: InformerScope;
  readonly api: SampleApi;
  readonly namespace: string | undefined;
}

const apiOf = (plural: string, kind: string, scope: SampleApi['scope']): SampleApi => ({
  ...databases,
  plural,
  kind,
  scope,
});
const cluster = undefined;
const served: readonly Served[] = [
  { isolation: 'Prefixed', scope: 'Cluster', api: databases, namespace: NAMESPACE },
  { isolation: 'Prefixed', scope: 'Namespaced', api: apiOf('ledgers', 'Ledger', 'Namespaced'), namespace: NAMESPACE },
  { isolation: 'Prefixed', scope: 'Cluster', api: apiOf('zones', 'Zone', 'Cluster'), namespace: cluster },
  { isolation: 'None', scope: 'Cluster', api: apiOf('vaults', 'Vault', 'Namespaced'), namespace: SHARED },
  { isolation: 'None', scope: 'Namespaced', api: apiOf('safes', 'Safe', 'Namespaced'), namespace: SHARED },
  { isolation: 'None', scope: 'Cluster', api: apiOf('realms', 'Realm', 'Cluster'), namespace: cluster },
  { isolation: 'Namespaced', scope: 'Cluster', api: apiOf('plots', 'Plot', 'Namespaced'), namespace: cluster },
  { isolation: 'Namespaced', scope: 'Namespaced', api: apiOf('fields', 'Field', 'Namespaced'), namespace: cluster },
];

if (!isThere || onGivenClusters())
  jestIt.skip('a Go konnector behind a gateway: HAWSER_GO_KONNECTOR names no program', () => undefined);
else
  describe('behind a gateway', () => {
    describeWithControlPlane(
      'a Go konnector, beside one of ours',
      () => {
        let system: GatewaySystem;
        let go: GatewayTenant;
        let ours: GatewayTenant;
        const it = loggedTest(jestIt, 'gateway-go', () => system.logs());
        const apis = served.map(({ api }) => api);

        beforeAll(async () => {
          system = await startGatewaySystem(apis, 'gateway-go');
          await system.provideIn('Prefixed');
          await system.replicas[0]?.start();
          go = await system.tenant('go', apis, program);
          ours = await system.tenant('ours', apis);
        }, 300_000);
        afterAll(() => system.close(), 60_000);

        for (const { isolation, scope, api, namespace } of served)
          it(`isolation ${isolation}, informer scope ${scope}, ${api.plural}: objects are in step, and each consumer has its own`, async () => {
            await system.provideIn(isolation, scope);
            const bound: BoundApi = await go.bind(api, isolation, scope);
            const boundByOurs = await ours.bind(api, isolation, scope);
            const sides = { consumer: go.plane, provider: system.provider };
            const oursKey = { name: 'ours', ...(namespace === undefined ? {} : { namespace }) };
            const others = { consumer: ours.plane, provider: system.provider };
            await ours.plane.apply(objectOf(api, oursKey));
            await synced(others, boundByOurs, api, oursKey);
            await keepsInStep(sides, bound, api, namespace, 'another');
            // What it saw of others it would have taken for copies without an original, and deleted.
            const { object } = await synced(others, boundByOurs, api, oursKey);
            expect(object.metadata.deletionTimestamp).toBeUndefined();
            const { items } = await go.plane.client.list<KubeObject>(resourceOf(api));
            expect(items).toEqual([]);
          });

        it('nothing is refused for want of a shared cluster scope, and the rights of the chart were enough for the gateway', async () => {
          await eventually(async () => {
            expect(await refusedRequests(system.provider, gatewayUser)).toEqual([]);
          }, LONG);
          expect(await system.provider.controlPlane?.auditLog().writes({ user: gatewayUser })).toEqual([]);
        });
      },
      { controllerManager: true },
    );
  });
