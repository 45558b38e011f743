import { beforeAll, expect } from '@jest/globals';
import { type SampleApi, databases, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import { type InformerScope, type Isolation, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, copyKey, createNamespace } from './copies.js';
import { keepsInStep } from './keeps-in-step.js';
import { describeSystem } from './suite.js';
import { type BoundApi, type System, ready } from './system.js';

const NAMESPACE = 'team-a';

/** The scope of the resource on the provider, and how the objects of consumers are kept there. */
interface Combination {
  readonly isolation: Isolation;
  readonly informerScope: InformerScope;
  readonly scope: SampleApi['scope'];
  /** Where a consumer has the objects; `nowhere`: there is no place for copies, and the request is refused. */
  readonly objects: 'inNamespaces' | 'clusterScoped' | 'nowhere';
}

/** All there are. */
const combinations: readonly Combination[] = [
  { isolation: 'Prefixed', informerScope: 'Namespaced', scope: 'Namespaced', objects: 'inNamespaces' },
  { isolation: 'Prefixed', informerScope: 'Namespaced', scope: 'Cluster', objects: 'clusterScoped' },
  { isolation: 'Prefixed', informerScope: 'Cluster', scope: 'Namespaced', objects: 'inNamespaces' },
  { isolation: 'Prefixed', informerScope: 'Cluster', scope: 'Cluster', objects: 'clusterScoped' },
  { isolation: 'None', informerScope: 'Namespaced', scope: 'Namespaced', objects: 'inNamespaces' },
  { isolation: 'None', informerScope: 'Namespaced', scope: 'Cluster', objects: 'clusterScoped' },
  { isolation: 'None', informerScope: 'Cluster', scope: 'Namespaced', objects: 'inNamespaces' },
  { isolation: 'None', informerScope: 'Cluster', scope: 'Cluster', objects: 'clusterScoped' },
  { isolation: 'Namespaced', informerScope: 'Namespaced', scope: 'Namespaced', objects: 'clusterScoped' },
  { isolation: 'Namespaced', informerScope: 'Namespaced', scope: 'Cluster', objects: 'nowhere' },
  { isolation: 'Namespaced', informerScope: 'Cluster', scope: 'Namespaced', objects: 'clusterScoped' },
  { isolation: 'Namespaced', informerScope: 'Cluster', scope: 'Cluster', objects: 'nowhere' },
];

const titleOf = ({ isolation, informerScope, scope }: Combination): string =>
  `isolation ${isolation}, informer scope ${informerScope}, a ${scope === 'Cluster' ? 'cluster-scoped' : 'namespaced'} resource`;

/** Each combination has an API, and so a consumer, of its own. */
function apiOf({ isolation, informerScope, scope }: Combination): SampleApi {
  const name = `${isolation}${informerScope}${scope}`;
  return { ...databases, plural: `${name.toLowerCase()}s`, kind: name, scope };
}

describeSystem(
  'all combinations of isolation, informer scope and scope of the resource',
  () => ({ name: 'combinations', chartValues: { claimedResources: ['secrets'] } }),
  (system, it) => {
    beforeAll(async () => {
      await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
    }, 240_000);

    for (const combination of combinations) {
      it(`${titleOf(combination)}: ${combination.objects === 'nowhere' ? 'is refused, with the reason' : 'objects and claims are in step'}`, async () => {
        const { isolation, informerScope, objects } = combination;
        const api = apiOf(combination);
        if (objects === 'nowhere') {
          await isRefused(system(), api, combination);
          return;
        }
        const labelSelector = { matchLabels: { app: api.plural } };
        const bound = await system().bind({
          name: api.plural,
          apis: [api],
          mode: { isolation, informerScope },
          claims: [{ group: '', resource: 'secrets', selector: { labelSelector } }],
        });
        await allowClaims(system(), bound);
        await ready(system(), api.plural);
        await keepsInStep(system(), bound, api, objects === 'inNamespaces' ? NAMESPACE : undefined);
        await claimsAreInStep(system(), bound, labelSelector.matchLabels);
      });
    }
  },
);

async function isRefused(system: System, api: SampleApi, { isolation, informerScope }: Combination): Promise<void> {
  const clusterNamespace = `kube-bind-${api.plural}`;
  const { provider } = system;
  await system.provideIn({ isolation, informerScope });
  await provider.apply(sampleCrd(api));
  await onboardConsumer({
    provider: provider.client,
    connection: provider.podsConnection,
    clusterNamespace,
    prettyName: 'Provider',
    apis: [api],
  });
  await requestExport(provider.client, clusterNamespace, api.plural, [api]);
  const key = { namespace: clusterNamespace, name: api.plural };
  await eventually(async () => {
    const { ExportsReady } = conditionsOf(await provider.client.get(resources.apiServiceExportRequests, key));
    expect(ExportsReady).toMatchObject({ status: 'False', message: expect.stringMatching(/isolation Namespaced/iu) });
  }, LONG);
  expect(await provider.find(resources.apiServiceExports, key)).toBeUndefined();
}

/** As a backend does that knows of claims. */
async function allowClaims(
  { consumer, provider }: System,
  { clusterNamespace, name: binding }: BoundApi,
): Promise<void> {
  // Objects that are cluster-scoped on the consumer give the provider no place in a namespace.
  await consumer.client.patch(
    resources.apiServiceBindings,
    { name: binding },
    { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/claim-namespaces': NAMESPACE } } } },
  );
  const name = `kube-binder-claims-${clusterNamespace}`;
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
  await provider.apply(
    {
      ...rbac,
      kind: 'ClusterRole',
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
        },
      ],
    },
    {
      ...rbac,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: clusterNamespace }],
    },
  );
}

/** One Secret from each side. */
async function claimsAreInStep(
  system: System,
  bound: BoundApi,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { consumer, provider } = system;
  const secret = (key: object, value: string): never =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, labels },
      data: { k: Buffer.from(value).toString('base64') },
    }) as never;
  const up = { namespace: NAMESPACE, name: `${bound.name}-up` };
  const down = { namespace: NAMESPACE, name: `${bound.name}-down` };
  await consumer.client.create(resources.secrets, secret(up, 'consumer'));
  await eventually(async () => {
    expect(await provider.client.get(resources.secrets, copyKey(bound, up))).toMatchObject({
      data: { k: Buffer.from('consumer').toString('base64') },
    });
  }, LONG);
  await provider.client.create(resources.secrets, secret(copyKey(bound, down), 'provider'));
  await eventually(async () => {
    expect(await consumer.client.get(resources.secrets, down)).toMatchObject({
      data: { k: Buffer.from('provider').toString('base64') },
    });
  }, LONG);
}
