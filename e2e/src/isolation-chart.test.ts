import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { consumerBounds, consumerBoundsBinding, consumerPolicy, consumerPolicyBinding, consumerRoles, namespacePolicy, namespacePolicyBinding, providerPolicy, providerPolicyBinding, schemaGuard, schemaGuardBinding } from '@hawser/exportrbac';
import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect } from '@hawser/kube-bind';
import { renderChart } from './chart.js';
import { root } from './root.js';

const exportedResources = [{ group: 'example.com', resource: 'databases' }, { group: 'other.example.com', resource: 'zones' }];

it.each([false, true])('the chart has the roles and policies that the provider role looks for, and no others; klutch: %s', (klutch) => {
  const rendered = renderChart(join(root, 'charts/provider'), ['admissionpolicy.yaml', 'consumer-roles.yaml', 'klutch.yaml'], { name: 'provider', namespace: 'hawser', values: { exportedResources, klutch, onboardingNamespaces: ['onboarding', 'sales'] } });
  const bare = rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } })).filter(({ metadata }) => !metadata.name.startsWith('hawser-hawser-provider'));
  const dialects = klutch ? [kubeBindDialect, klutchDialect] : [kubeBindDialect];
  const wanted = [
    ...dialects.flatMap((dialect) => [consumerPolicy(dialect), consumerPolicyBinding(dialect), ...consumerRoles(exportedResources, dialect)]),
    namespacePolicy('system:serviceaccount:hawser:hawser-provider', dialects), namespacePolicyBinding,
    providerPolicy({ provider: 'system:serviceaccount:hawser:hawser-provider', requestNamespaces: ['onboarding', 'sales'] }), providerPolicyBinding, consumerBounds, consumerBoundsBinding,
  ];
  const byName = (one: { readonly kind: string; readonly metadata: { readonly name: string } }): string => `${one.kind} ${one.metadata.name}`;
  expect(bare.toSorted((one, other) => byName(one).localeCompare(byName(other)))).toEqual(wanted.toSorted((one, other) => byName(one).localeCompare(byName(other))));
  expect(rendered.every(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm')).toBe(true);
});

it.each([{ guardSchemas: false, policies: [] }, { guardSchemas: true, policies: [schemaGuard, schemaGuardBinding] }])('the chart guards exported CRDs if it is asked to: $guardSchemas', ({ guardSchemas, policies }) => {
  const rendered = renderChart(join(root, 'charts/provider'), ['schemaguard.yaml'], { name: 'provider', namespace: 'hawser', values: { guardSchemas } });
  expect(rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }))).toEqual(policies);
});
