import type { JsonObject } from '@hawser/json';
import {
  type BoundSchema,
  annotations,
  installCRDs,
  providerCRDs,
  readSchemaApplied,
  schemaAppliedCondition,
} from '@hawser/kube-bind';
import { createClient } from '@hawser/client';
import { expect, it } from '@jest/globals';
import { startNeighbours } from './neighbours.js';
import { SeededRandom } from './seeded-random.js';
import { SimCluster } from './sim-cluster.js';
import { VirtualTime } from './virtual-time.js';

const BOUND_SCHEMAS = { group: 'kube-bind.io', resource: 'boundschemas' };
const hash = 'ab'.repeat(32);
const key = { namespace: 'cluster-n', name: 'databases.example.com' };

it('the konnector of a neighbour says again that it serves a schema, where a backup has its refusal', async () => {
  const time = new VirtualTime();
  const cluster = new SimCluster({
    name: 'provider',
    time,
    random: () => 0.5,
    report: (error) => {
      throw error;
    },
  });
  const client = createClient({
    name: 'provider',
    connection: cluster.administrator,
    dispatcher: cluster.direct,
    clock: time,
    random: () => 0.5,
  });
  const installed = installCRDs(client, providerCRDs, { clock: time, random: () => 0.5 });
  await time.runUntil(60_000);
  await installed;
  const listed = startNeighbours(cluster, [key.namespace], time, SeededRandom.stream(1, 'neighbours'));
  cluster.objects.create(
    { group: '', resource: 'namespaces' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: key.namespace } },
  );
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  cluster.objects.create(BOUND_SCHEMAS, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BoundSchema',
    metadata: { ...key, annotations: { [annotations.sourceSpecHash]: hash } },
    spec: {
      group: 'example.com',
      names: { kind: 'Database', plural: 'databases' },
      scope: 'Namespaced',
      informerScope: 'Cluster',
      versions,
    },
  });
  const schema = (): JsonObject & BoundSchema => cluster.objects.get(BOUND_SCHEMAS, key) as JsonObject & BoundSchema;
  const refused = schemaAppliedCondition({ kind: 'refused', hash, reason: 'CRDUpdateFailed', message: 'not now' });
  cluster.objects.update(
    BOUND_SCHEMAS,
    {
      ...schema(),
      status: { conditions: [{ ...refused, lastTransitionTime: new Date(time.now()).toISOString() }] },
    } as unknown as JsonObject,
    { subresource: 'status' },
  );
  const backup = cluster.backup();
  await time.runUntil(time.monotonic() + 600_000);
  cluster.restart(1_000, backup);
  await time.runUntil(time.monotonic() + 2_000);
  expect(readSchemaApplied(schema().status?.conditions)?.kind).toBe('refused');
  listed();
  await time.runUntil(time.monotonic() + 600_000);
  expect(readSchemaApplied(schema().status?.conditions)).toEqual({ kind: 'applied', hash });
});
