import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { consumerRoles, schemaGuard, schemaGuardBinding } from '@hawser/exportrbac';
import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect } from '@hawser/kube-bind';
import { agentPolicies, konnectorPolicies, providerPolicies } from '../../apps/supervisor/src/commands/own-policies.js';
import { gatewayRoles } from '../../apps/supervisor/src/commands/gateway-rights.js';
import { konnectorRoles } from '../../packages/cli/konnector-explain/src/rights.js';
import { type PolicyRule, type Role, differenceOf } from '@hawser/rbac';
import { renderChart } from './chart.js';
import { root } from './root.js';

const exportedResources = [
  { group: 'example.com', resource: 'databases' },
  { group: 'other.example.com', resource: 'zones' },
];

it.each([false, true])(
  'the chart has the roles and policies that the provider role looks for, and no others; klutch: %s',
  (klutch) => {
    const rendered = renderChart(
      join(root, 'charts/provider'),
      ['admissionpolicy.yaml', 'consumer-roles.yaml', 'klutch.yaml'],
      {
        name: 'provider',
        namespace: 'hawser',
        values: { exportedResources, klutch, onboardingNamespaces: ['onboarding', 'sales'] },
      },
    );
    const bare = rendered
      .map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }))
      .filter(({ metadata }) => !metadata.name.startsWith('hawser-hawser-provider'));
    const dialects = klutch ? [kubeBindDialect, klutchDialect] : [kubeBindDialect];
    const wanted = [
      ...dialects.flatMap((dialect) => consumerRoles(exportedResources, dialect)),
      // What `hawser rbac --roles provider --service-account` prints.
      ...providerPolicies(
        { dialects: dialects.map(({ name }) => name), requestNamespaces: ['onboarding', 'sales'] },
        { namespace: 'hawser', name: 'hawser-provider' },
      ),
    ];
    const byName = (one: { readonly kind: string; readonly metadata: { readonly name: string } }): string =>
      `${one.kind} ${one.metadata.name}`;
    expect(bare.toSorted((one, other) => byName(one).localeCompare(byName(other)))).toEqual(
      wanted.toSorted((one, other) => byName(one).localeCompare(byName(other))),
    );
    expect(rendered.every(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm')).toBe(true);
  },
);

it.each([false, true])(
  'the chart gives the gateway what `hawser rbac --roles gateway` prints; klutch: %s',
  (klutch) => {
    const rendered = renderChart(join(root, 'charts/provider'), ['gateway-rights.yaml'], {
      name: 'provider',
      namespace: 'hawser',
      values: { exportedResources, klutch, gateway: { enabled: true } },
    });
    const rules = rendered.flatMap(({ kind, ...object }) =>
      kind === 'ClusterRole' ? ((object as Role).rules ?? []) : [],
    );
    const [{ rules: wanted } = { rules: [] }] = gatewayRoles(
      klutch ? [kubeBindDialect, klutchDialect] : [kubeBindDialect],
      exportedResources,
    );
    expect(differenceOf(rules, wanted)).toEqual({ missing: [], excess: [] });
  },
);

it.each([
  { guardSchemas: false, policies: [] },
  { guardSchemas: true, policies: [schemaGuard, schemaGuardBinding] },
])('the chart guards exported CRDs if it is asked to: $guardSchemas', ({ guardSchemas, policies }) => {
  const rendered = renderChart(join(root, 'charts/provider'), ['schemaguard.yaml'], {
    name: 'provider',
    namespace: 'hawser',
    values: { guardSchemas },
  });
  expect(rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }))).toEqual(policies);
});

it.each([
  { dialect: kubeBindDialect, values: {}, kubeconfigNamespaces: [], crds: {}, coreKbind: undefined },
  {
    dialect: kubeBindDialect,
    values: { coreKbind: { enabled: true, secretNamespaces: ['kbind', 'team-a'] } },
    kubeconfigNamespaces: [],
    crds: {},
    coreKbind: { secretNamespaces: ['kbind', 'team-a'] },
  },
  {
    coreKbind: undefined,
    dialect: klutchDialect,
    values: {
      secrets: { namespaces: ['team-a', 'team-b'], readEverywhere: false },
      allowedGroups: ['*.example.com', 'example.org'],
      allowConversionWebhooks: true,
    },
    kubeconfigNamespaces: ['team-a', 'team-b'],
    crds: { allowedGroups: ['*.example.com', 'example.org'], allowConversionWebhooks: true },
  },
])(
  'the chart has the policy for the konnector that `hawser rbac` prints; dialect $dialect.name',
  ({ dialect, values, kubeconfigNamespaces, crds, coreKbind }) => {
    const rendered = renderChart(join(root, 'charts/konnector'), ['admissionpolicy.yaml'], {
      name: 'release',
      namespace: 'bindings',
      values: { ...values, dialect: dialect.name, name: 'one' },
    });
    expect(rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }))).toEqual(
      konnectorPolicies({
        namespace: 'bindings',
        serviceAccount: 'one',
        kubeconfigNamespaces,
        dialect,
        crds,
        coreKbind,
      }),
    );
  },
);

it.each([1, 3])('the chart gives a konnector the Leases that `hawser rbac` prints; shards: %s', (shards) => {
  const ofLeases = ({ rules }: Pick<Role, 'rules'>): readonly PolicyRule[] =>
    (rules ?? []).filter(({ apiGroups = [] }) => apiGroups.includes('coordination.k8s.io'));
  const rendered = renderChart(join(root, 'charts/konnector'), ['role.yaml'], {
    name: 'konnector',
    namespace: 'kube-bind',
    values: { shards },
  });
  const wanted = konnectorRoles('kube-bind', { dialect: kubeBindDialect, migrates: false, shares: shards > 1 });
  const given = rendered.flatMap((object) => ofLeases(object as Role));
  expect(differenceOf(given, wanted.flatMap(ofLeases))).toEqual({ missing: [], excess: [] });
});

it('the chart has the policy for the agent that `hawser rbac --roles syncagent` prints', () => {
  const rendered = renderChart(join(root, 'charts/syncagent'), ['admissionpolicy.yaml'], {
    name: 'agent',
    namespace: 'agents',
    values: {},
  });
  expect(rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }))).toEqual(
    agentPolicies({ namespace: 'agents', serviceAccount: 'agent-syncagent' }),
  );
});
