import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { type APIServiceExport, type ClaimSelector, type Isolation, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { roughEdge } from '@hawser/testenv';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readClaims } from './claim.js';
import { claimedBy } from './claimed-by.js';
import { createSelection } from './selection.js';

const spec = (isolation: Isolation = 'Prefixed'): Pick<APIServiceExport, 'spec'> => ({
  spec: {
    informerScope: 'Namespaced',
    isolation,
    resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
  },
});
const read = (resource: string, selector: ClaimSelector, isolation?: Isolation) =>
  readClaims('b', [{ group: '', resource, selector }], spec(isolation));
const reference = (group: string, resource: string, name = 'spec.ref', versions?: string[]): ClaimSelector => ({
  references: [{ group, resource, jsonPath: { name }, ...(versions === undefined ? {} : { versions }) }],
});

roughEdge('R27', 'of several claims on one resource all are served', () => {
  const both = readClaims(
    'b',
    [
      { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'x' } } } },
      { group: '', resource: 'secrets', selector: { namedResources: [{ name: 'named' }] } },
    ],
    spec(),
  ).claims.map((claim) => ({ claim, references: [] }));
  const claimed = (name: string, labels: Readonly<Record<string, string>> = {}): readonly string[] =>
    claimedBy(both, resources.secrets, 'consumer', 'team', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'team', name, labels },
    });
  expect([claimed('one', { app: 'x' }), claimed('named'), claimed('other')]).toEqual([['b'], ['b'], []]);
});

describe('claims are read', () => {
  it('for what can be claimed', () => {
    expect(
      ['secrets', 'configmaps', 'serviceaccounts'].map(
        (resource) => read(resource, { labelSelector: {} }).claims[0]?.resource,
      ),
    ).toEqual(['secrets', 'configmaps', 'serviceaccounts'].map((resource) => ({ group: '', version: 'v1', resource })));
    expect(read('pods', { labelSelector: {} })).toMatchObject({
      claims: [],
      problems: [{ reason: 'ClaimNotSupported', message: expect.stringContaining('pods') }],
    });
    expect(
      readClaims(
        'b',
        [{ group: 'example.com', resource: 'things', selector: {} }],
        spec(),
        ({ group = '', resource }) => ({ kind: 'claimable', resource: { group, resource, version: 'v1' } }),
      ).claims,
    ).toHaveLength(1);
  });
  it("with references to the export's resources, or under isolation None to others, but never to Secrets", () => {
    const versions = (selector: ClaimSelector, isolation?: Isolation): readonly string[] | undefined =>
      read('secrets', selector, isolation).claims[0]?.references.map(
        ({ resource }) => `${resource.resource}/${resource.version}`,
      );
    expect(versions(reference('example.com', 'tests'))).toEqual(['tests/v1']);
    expect(versions(reference('example.com', 'tests', 'spec.ref', ['v1', 'v2']))).toEqual(['tests/v1', 'tests/v2']);
    expect([
      versions(reference('other.com', 'others', 'spec.ref', ['v1'])),
      versions(reference('other.com', 'others', 'spec.ref', ['v1']), 'Namespaced'),
    ]).toEqual([[], []]);
    expect(versions(reference('other.com', 'others', 'spec.ref', ['v1']), 'None')).toEqual(['others/v1']);
    expect(versions(reference('', 'secrets', 'data.ref', ['v1']), 'None')).toEqual([]);
  });
  it('R29: each reference with versions of its own', () => {
    const { claims, problems } = read(
      'secrets',
      {
        references: [
          ...(reference('example.com', 'tests').references ?? []),
          ...(reference('other.com', 'others').references ?? []),
        ],
      },
      'None',
    );
    expect(claims[0]?.references.map(({ resource }) => resource.resource)).toEqual(['tests']);
    expect(problems).toMatchObject([{ message: expect.stringContaining('others.other.com name no version') }]);
  });
  it('and a path or operator that is not understood selects nothing', () => {
    expect(read('secrets', reference('example.com', 'tests', 'spec.refs[*].name'))).toMatchObject({
      claims: [{ references: [] }],
      problems: [{ reason: 'ClaimNotSupported' }],
    });
    expect(read('secrets', { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } })).toMatchObject({
      claims: [{ labels: undefined }],
      problems: [{ reason: 'ClaimNotSupported' }],
    });
  });
  it('with what the provider writes marked', () => {
    const writes = (name: string): boolean | undefined =>
      read('secrets', reference('example.com', 'tests', name)).claims[0]?.references[0]?.providerWrites;
    expect([writes('status.secretName'), writes('spec.secretName'), writes('metadata.annotations.status')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

interface Candidate {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly side?: 'consumer' | 'provider';
}

/** Peer: pkg/resources/resources_test.go, TestSelector_IsClaimed, without references. */
describe('an object is selected', () => {
  const client = createClient({
    name: 'none',
    connection: { server: 'https://127.0.0.1:1', credentials: { kind: 'none' } } as never,
  });
  const informers = createSharedInformers({
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
  });
  afterAll(async () => {
    await informers.close();
    await client.close();
  });
  const selects = (
    selector: ClaimSelector,
    { name = 'test-obj', namespace = 'test-ns', labels = { app: 'x' }, side = 'consumer' }: Candidate,
  ): boolean => {
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const selection = createSelection(informers, resource, () => undefined);
    selection.set(read('configmaps', selector).claims);
    return (
      selection.claimedBy(side, namespace, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels },
      }).length > 0
    );
  };
  const labels = { matchLabels: { app: 'x' } };
  it.each<[string, ClaimSelector, Candidate, boolean]>([
    ['by nothing', {}, {}, false],
    ['by labels', { labelSelector: labels }, {}, true],
    ['by other labels', { labelSelector: { matchLabels: { app: 'y' } } }, {}, false],
    ['by labels, having none', { labelSelector: labels }, { labels: {} }, false],
    ['by an empty label selector', { labelSelector: {} }, {}, true],
    [
      'by an expression',
      { labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x'] }] } },
      {},
      false,
    ],
    ['by name and namespace', { namedResources: [{ name: 'test-obj', namespace: 'test-ns' }] }, {}, true],
    ['by name alone', { namedResources: [{ name: 'test-obj' }] }, {}, true],
    ['by another name', { namedResources: [{ name: 'other' }] }, {}, false],
    ['by another namespace', { namedResources: [{ name: 'test-obj', namespace: 'other' }] }, {}, false],
    ['by one of several names', { namedResources: [{ name: 'other' }, { name: 'test-obj' }] }, {}, true],
    ['by labels though not by name', { labelSelector: labels, namedResources: [{ name: 'other' }] }, {}, true],
    [
      'by name though not by labels',
      { labelSelector: { matchLabels: { app: 'y' } }, namedResources: [{ name: 'test-obj' }] },
      {},
      true,
    ],
    ['not in a namespace of the system', { labelSelector: {} }, { namespace: 'kube-system' }, false],
    [
      'in a namespace of the system by its name',
      { namedResources: [{ name: 'test-obj', namespace: 'kube-system' }] },
      { namespace: 'kube-system' },
      true,
    ],
    [
      'not into a namespace of the system',
      { namedResources: [{ name: 'test-obj', namespace: 'kube-system' }] },
      { namespace: 'kube-system', side: 'provider' },
      false,
    ],
    ['not if every namespace has it', { labelSelector: {} }, { name: 'kube-root-ca.crt' }, false],
  ])('%s', (_, selector, object, expected) => {
    expect(selects(selector, object)).toBe(expected);
  });
});
