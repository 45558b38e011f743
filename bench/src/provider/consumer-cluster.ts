import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SampleApi, bind, ensure } from '@hawser/installation';
import { type CustomResourceDefinition, crdName, crds, installCRDs, resources } from '@hawser/kube-bind';
import { eventually, startControlPlane } from '@hawser/testenv';

import { spawnHawser } from '../hawser.js';
import { sample } from '../sample.js';
import { exportName, TEAM, type Tenant } from './tenant.js';

/** The cluster of one consumer, with a real konnector: shows when a change arrives there. */
export interface ConsumerCluster {
  readonly tenant: Tenant;
  /** Resolves with the time (ms, monotonic) at which the CRD showed the field. */
  hasField(crd: string, field: string, withinMs: number): Promise<number>;
  /** Creates an object of the first API; resolves when the provider has its copy. */
  sync(provider: Client, withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Binds all APIs of the consumer; resolves when their CRDs exist. */
export async function openConsumerCluster(
  tenant: Tenant,
  apis: readonly SampleApi[],
  { folder, root, withinMs }: { readonly folder: string; readonly root: string; readonly withinMs: number },
): Promise<ConsumerCluster> {
  const plane = await startControlPlane({ name: tenant.namespace });
  const client = createClient({ name: 'consumer', connection: plane.connection, concurrency: 16, userAgent: 'bench' });
  const own = join(folder, tenant.namespace);
  mkdirSync(own);
  writeFileSync(join(own, 'consumer.kubeconfig'), plane.kubeconfig, { mode: 0o600 });
  await installCRDs(client, crds, { clock: systemClock });
  await ensure(client, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM } });
  for (const index of apis.keys())
    await bind({ consumer: client, name: exportName(index), kubeconfig: tenant.kubeconfig, secret: 'provider' });
  const konnector = await spawnHawser({ folder: own }, root);
  await eventually(
    async () => {
      const bound = (
        await client.list(resources.customResourceDefinitions, { representation: 'metadata' })
      ).items.filter(({ metadata }) =>
        apis.some(({ plural, group }) => metadata.name === crdName(plural, group)),
      ).length;
      if (bound < apis.length) throw new Error(`${tenant.namespace}: ${bound} of ${apis.length} CRDs`);
    },
    { timeoutMs: withinMs, intervalMs: 500 },
  );
  return {
    tenant,
    hasField: (crd, field, ms) =>
      eventually(
        async () => {
          const { spec } = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
            name: crd,
          });
          if (!JSON.stringify(spec).includes(`"${field}"`))
            throw new Error(`${tenant.namespace}: ${crd} has no ${field} yet`);
          return performance.now();
        },
        { timeoutMs: ms, intervalMs: 50 },
      ),
    async sync(provider, ms) {
      const [api] = apis;
      if (api === undefined) return;
      const resource = { group: api.group, version: 'v1', resource: api.plural };
      await eventually(() => client.create(resource, sample(resource, TEAM, 'first')), {
        timeoutMs: ms,
        intervalMs: 250,
      });
      await eventually(() => provider.get(resource, { namespace: `${tenant.namespace}-${TEAM}`, name: 'first' }), {
        timeoutMs: ms,
        intervalMs: 100,
      });
    },
    async close() {
      await konnector.stop();
      await client.close();
      await plane.stop();
    },
  };
}
