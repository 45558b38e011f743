import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { consumerPolicy, consumerPolicyBinding, consumerRoles, namespacePolicy, namespacePolicyBinding } from '@hawser/exportrbac';
import { renderChart } from './chart.js';
import { root } from './root.js';

const exportedResources = [{ group: 'example.com', resource: 'databases' }, { group: 'other.example.com', resource: 'zones' }];
const rendered = renderChart(join(root, 'charts/provider'), ['admissionpolicy.yaml', 'consumer-roles.yaml'], { name: 'provider', namespace: 'hawser', values: { exportedResources } });

it('the chart has the roles and policies that the provider role looks for, and no others', () => {
  const bare = rendered.map(({ metadata: { name }, ...object }) => ({ ...object, metadata: { name } }));
  const provider = 'system:serviceaccount:hawser:hawser-provider';
  const wanted = [consumerPolicy(), consumerPolicyBinding(), namespacePolicy(provider), namespacePolicyBinding, ...consumerRoles(exportedResources)];
  const byName = (one: { readonly kind: string; readonly metadata: { readonly name: string } }): string => `${one.kind} ${one.metadata.name}`;
  expect(bare.toSorted((one, other) => byName(one).localeCompare(byName(other)))).toEqual(wanted.toSorted((one, other) => byName(one).localeCompare(byName(other))));
  expect(rendered.every(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm')).toBe(true);
});
