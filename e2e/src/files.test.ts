import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from '@jest/globals';
import type { KubeObject, ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { consumerRoles } from '@hawser/exportrbac';
import { type SampleApi, databases, onboardConsumer, sampleCrd } from '@hawser/installation';
import { fixedNames, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, createNamespace, gone, objectOf, resourceOf, synced } from './copies.js';
import { healthOf } from './kstatus.js';
import type { Plane, Side } from './plane.js';
import { root } from './root.js';
import { describeSystem } from './suite.js';
import { type BoundApi, type System, prefixed } from './system.js';

const NAMESPACE = 'team-a';

interface Order {
  readonly api: SampleApi;
  readonly applied: readonly [Side, Side];
  readonly deleted: readonly [Side, Side];
}

const orders: readonly Order[] = [
  { api: databases, applied: ['provider', 'consumer'], deleted: ['provider', 'consumer'] },
  {
    api: { ...databases, plural: 'volumes', kind: 'Volume' },
    applied: ['consumer', 'provider'],
    deleted: ['consumer', 'provider'],
  },
];

const resourceOn: Readonly<Record<Side, Resource>> = {
  provider: resources.apiServiceExportRequests,
  consumer: resources.apiServiceBindings,
};

/** The two files of docs/how-to/bind.md, for another name and namespace. */
function filesFor({ plural }: SampleApi, clusterNamespace: string): Readonly<Record<Side, string>> {
  const text = readFileSync(join(root, 'docs/how-to/bind.md'), 'utf8');
  const [provider, consumer] = (/## As files[\s\S]*?```yaml\n(?<yaml>[\s\S]*?)```/u.exec(text)?.groups?.['yaml'] ?? '')
    .split('---\n')
    .map((file) => file.replaceAll('databases', plural).replaceAll('kube-bind-x7k2p', clusterNamespace));
  if (provider === undefined || consumer === undefined) throw new Error('docs/how-to/bind.md has no two files');
  return { provider, consumer };
}

describeSystem(
  'two files, as a GitOps tool applies them',
  () => ({ name: 'files', resources: orders.map(({ api }) => api) }),
  (system, it) => {
    beforeAll(async () => {
      await system().provideIn(prefixed);
      await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      await system().provider.apply(
        ...orders.map(({ api }) => sampleCrd(api)),
        ...consumerRoles(
          orders.map(({ api: { group, plural } }) => ({ group, resource: plural })),
          kubeBindDialect,
        ),
      );
      for (const { api } of orders)
        await system().provider.kubectl([
          'wait',
          '--for=condition=Established',
          `crd/${api.plural}.${api.group}`,
          '--timeout=60s',
        ]);
    }, 240_000);

    for (const { api, applied, deleted } of orders) {
      it(`applied first on the ${applied[0]}, deleted first on the ${deleted[0]}: healthy in the end, gone in the end`, async () => {
        const { provider, consumer } = system();
        const clusterNamespace = `kube-bind-${api.plural}`;
        const { kubeconfig } = await onboardConsumer({
          provider: provider.client,
          connection: provider.podsConnection,
          clusterNamespace,
          prettyName: 'Provider',
          apis: [api],
        });
        await consumer.apply({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: `kubeconfig-${api.plural}`, namespace: fixedNames.konnectorNamespace },
          stringData: { kubeconfig },
        });
        const files = filesFor(api, clusterNamespace);
        const key: Readonly<Record<Side, ObjectKey>> = {
          provider: { name: api.plural, namespace: clusterNamespace },
          consumer: { name: api.plural },
        };
        const onSide = (side: Side): Plane => system()[side];
        const find = (side: Side): Promise<UnstructuredObject | undefined> =>
          onSide(side).find(resourceOn[side], key[side]);
        const healthy = (side: Side): Promise<void> =>
          eventually(async () => {
            const found = await find(side);
            expect(conditionsOf(found)['Ready']).toMatchObject({ status: 'True' });
            expect(found === undefined ? undefined : healthOf(found)).toBe('Current');
          }, LONG);

        const [first, second] = applied;
        await onSide(first).kubectl(['apply', '-f', '-'], files[first]);
        // A request is answered without its consumer; a binding waits, and says for what.
        if (first === 'provider') await healthy(first);
        else {
          await eventually(async () => {
            const found = await find(first);
            expect(conditionsOf(found)['Ready']).toMatchObject({ status: 'False', reason: 'APIServiceExportNotFound' });
            expect(found === undefined ? undefined : healthOf(found)).toBe('InProgress');
          }, LONG);
        }
        await onSide(second).kubectl(['apply', '-f', '-'], files[second]);
        for (const side of applied) await healthy(side);
        const bound: BoundApi = { ...prefixed, name: api.plural, clusterNamespace, kubeconfig };
        await consumer.apply(objectOf(api, { namespace: NAMESPACE, name: 'one' }));
        const { copy } = await synced(system(), bound, api, { namespace: NAMESPACE, name: 'one' });
        await everythingIsHealthy(system(), key.consumer, clusterNamespace);
        // Nothing is written for what is applied once more.
        const versions = await Promise.all(applied.map(async (side) => (await find(side))?.metadata.generation));
        for (const side of applied) await onSide(side).kubectl(['apply', '-f', '-'], files[side]);
        expect(await Promise.all(applied.map(async (side) => (await find(side))?.metadata.generation))).toEqual(
          versions,
        );

        for (const side of deleted) {
          await onSide(side).kubectl(['delete', '--wait=false', '-f', '-'], files[side]);
          await gone(() => find(side));
        }
        // Under the policy that counts where nothing is said.
        expect(
          (await provider.find(resourceOf(api), { namespace: copy.metadata.namespace, name: 'one' }))?.metadata,
        ).toMatchObject({ uid: copy.metadata.uid });
      });
    }

    it('a request that can never succeed has failed, and is not waited for', async () => {
      const { provider } = system();
      const key = { namespace: 'kube-bind-databases', name: 'never' };
      await provider.apply({
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExportRequest',
        metadata: key,
        spec: {
          resources: [{ group: databases.group, resource: 'databases', versions: ['v1'] }],
          namespaces: [{ name: 'a'.repeat(60) }],
        },
      });
      await eventually(async () => {
        const found = await provider.client.get<KubeObject & { readonly status?: { readonly phase?: string } }>(
          resources.apiServiceExportRequests,
          key,
        );
        expect(found.status?.phase).toBe('Failed');
        expect(healthOf(found)).toBe('Failed');
      }, LONG);
    });
  },
);

/** Of every kind that stands between the two, what belongs to one binding: consumers of other suites may have left theirs. */
async function everythingIsHealthy(
  { consumer, provider }: System,
  binding: ObjectKey,
  clusterNamespace: string,
): Promise<void> {
  const kinds = [
    resources.clusterBindings,
    resources.apiServiceExportRequests,
    resources.apiServiceExports,
    resources.boundSchemas,
    resources.apiServiceNamespaces,
  ];
  await eventually(async () => {
    const found: (readonly [Resource, readonly KubeObject[]])[] = [
      [resources.apiServiceBindings, [await consumer.client.get(resources.apiServiceBindings, binding)]],
    ];
    for (const resource of kinds)
      found.push([resource, (await provider.client.list(resource, { namespace: clusterNamespace })).items]);
    for (const [{ resource }, items] of found) {
      expect(items.length).toBeGreaterThan(0);
      expect(items.map((item) => `${resource} ${item.metadata.name}: ${healthOf(item)}`)).toEqual(
        items.map((item) => `${resource} ${item.metadata.name}: Current`),
      );
    }
  }, LONG);
}
