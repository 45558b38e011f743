import type { BoundSchema } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import type { CRDPolicy } from './crd-policy.js';
import type { SchemaReading } from './observed.js';
import { WantedCRDs } from './wanted-crds.js';

const schema = (group: string, fields: object = {}): BoundSchema => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'BoundSchema',
  metadata: { name: `tests.${group}`, namespace: 'cluster-x' },
  spec: {
    informerScope: 'Cluster',
    group,
    scope: 'Namespaced',
    names: { plural: 'tests', kind: 'Test' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...fields,
  },
});
const read = (policy: CRDPolicy, group: string, fields?: object): SchemaReading =>
  new WantedCRDs(policy).of(schema(group, fields));
const outcome = (reading: SchemaReading): string =>
  reading.kind === 'refused' ? reading.problem.reason : reading.kind;

describe('the groups that are open to providers', () => {
  it.each<[string, readonly string[] | undefined, string, string]>([
    ['any by default', undefined, 'example.com', 'found'],
    ['not those of Kubernetes', undefined, 'rbac.authorization.k8s.io', 'ProtectedAPIGroup'],
    ['not those of kcp', undefined, 'apis.kcp.io', 'ProtectedAPIGroup'],
    ['not the core group', undefined, '', 'ProtectedAPIGroup'],
    ['one of Kubernetes that is named', ['*', 'gateway.networking.k8s.io'], 'gateway.networking.k8s.io', 'found'],
    ['those of kcp when they are named', ['*.kcp.io'], 'apis.kcp.io', 'found'],
    [
      'never those that steer the konnector',
      ['*', 'kube-bind.io', '*.hawser.dev'],
      'kube-bind.io',
      'ProtectedAPIGroup',
    ],
    ['never one without a dot', ['apps'], 'apps', 'ProtectedAPIGroup'],
    ['one that is listed', ['example.com'], 'example.com', 'found'],
    ['none that is not listed', ['example.com'], 'example.org', 'APIGroupNotAllowed'],
    ['not what is below one that is listed', ['example.com'], 'db.example.com', 'APIGroupNotAllowed'],
    ['what is below a domain', ['*.example.com'], 'db.example.com', 'found'],
    ['not the domain itself', ['*.example.com'], 'example.com', 'APIGroupNotAllowed'],
    ['not what only ends like it', ['*.example.com'], 'badexample.com', 'APIGroupNotAllowed'],
    ['none', [], 'example.com', 'APIGroupNotAllowed'],
  ])('are %s', (_, allowedGroups, group, expected) => {
    expect(outcome(read({ allowedGroups }, group))).toBe(expected);
  });
});

describe('a conversion webhook', () => {
  const conversion = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: 'https://collect.example.com/', caBundle: 'QQ==' },
      conversionReviewVersions: ['v1'],
    },
  };

  it('is refused, since it would get the objects of the consumer', () => {
    const reading = read({}, 'example.com', { conversion });
    expect(reading).toMatchObject({
      kind: 'refused',
      problem: { reason: 'ConversionWebhookRefused', message: expect.stringContaining('tests.example.com') },
    });
  });
  it('does not reach the CRD where it is only prepared', () => {
    expect(read({}, 'example.com', { conversion: { ...conversion, strategy: 'None' } })).not.toHaveProperty(
      'wanted.spec.conversion.webhook',
    );
  });
  it('is installed where the operator allows it', () => {
    expect(read({ allowConversionWebhooks: true }, 'example.com', { conversion })).toMatchObject({
      kind: 'found',
      wanted: { spec: { conversion } },
    });
  });
  it('is no concern where there is none', () => {
    expect(outcome(read({}, 'example.com', { conversion: { strategy: 'None' } }))).toBe('found');
  });
});

roughEdge('R39', 'a provider installs nothing in groups of Kubernetes, and no conversion webhook', () => {
  for (const group of ['', 'apps', 'rbac.authorization.k8s.io', 'apis.kcp.io', 'kube-bind.io'])
    expect(outcome(read({}, group))).toBe('ProtectedAPIGroup');
  expect(
    outcome(
      read({}, 'example.com', {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com' } },
        },
      }),
    ),
  ).toBe('ConversionWebhookRefused');
});
