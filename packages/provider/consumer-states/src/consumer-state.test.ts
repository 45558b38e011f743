import type { APIServiceExport, APIServiceExportRequest, Condition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { BindingFacts } from './binding-facts.js';
import type { ConsumerBindings } from './consumer-reader.js';
import { type ConsumerState, consumerStates } from './consumer-state.js';

const now = Date.UTC(2026, 4, 1, 12);
const minutesAgo = (minutes: number): string => `${new Date(now - minutes * 60_000).toISOString().slice(0, 19)}Z`;
const apiVersion = 'kube-bind.io/v1alpha2';
const spec = { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] };
const condition = (
  type: string,
  status: Condition['status'],
  minutes: number,
  more: Partial<Condition> = {},
): Condition => ({ type, status, lastTransitionTime: minutesAgo(minutes), ...more });
const works = [condition('Connected', 'True', 90), condition('ConsumerInSync', 'True', 90)];

const exported = (
  name: string,
  conditions: readonly Condition[],
): Pick<BindingFacts, 'name' | 'request' | 'export'> => {
  const granted: APIServiceExport = {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { namespace: 'n', name, creationTimestamp: minutesAgo(100) },
    spec: { ...spec, informerScope: 'Cluster', isolation: 'Prefixed' },
    status: { conditions: [...conditions] },
  };
  return { name, request: undefined, export: granted };
};
const requested = (name: string): Pick<BindingFacts, 'name' | 'request' | 'export'> => {
  const request: APIServiceExportRequest = {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: { namespace: 'n', name, creationTimestamp: minutesAgo(7) },
    spec,
  };
  return { name, request, export: undefined };
};
const consumerWith = (
  namespace: string,
  bindings: readonly Pick<BindingFacts, 'name' | 'request' | 'export'>[],
  konnectorVersion = 'v1.2.3',
): ConsumerBindings => {
  const consumer: ConsumerBindings['consumer'] = {
    dialect: 'kube-bind',
    namespace,
    cluster: { identity: namespace, prettyName: namespace },
    owner: '',
    namespaceObject: undefined,
    clusterBinding: {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { namespace, name: 'cluster' },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
      status: { lastHeartbeatTime: minutesAgo(1), heartbeatInterval: '5m0s', konnectorVersion },
    },
  };
  return { consumer, bindings: bindings.map((facts) => ({ ...facts, consumer })) };
};
const states = (...consumers: readonly ConsumerBindings[]): readonly ConsumerState[] =>
  consumerStates({ consumers, offers: [] }, { version: 'v1.2.3', now });

describe('consumerStates', () => {
  it('puts first, of those that stand alike, where something has not arrived for the longest time', () => {
    const late = condition('SchemaUpdateHeld', 'True', 30, { reason: 'NotCompatible', message: 'told' });
    const found = states(
      consumerWith('fine', [exported('db', works)]),
      consumerWith('minutes', [exported('db', [...works, condition('RightsGranted', 'False', 5)])]),
      consumerWith('hours', [exported('a', works), exported('b', [...works, late])]),
    );
    expect(found.map(({ namespace, health }) => [namespace, health])).toEqual([
      ['hours', 'works'],
      ['minutes', 'works'],
      ['fine', 'works'],
    ]);
    expect(found.map(({ oldestOpen }) => oldestOpen)).toEqual([
      { binding: 'b', since: minutesAgo(30), reason: 'NotCompatible', message: 'told' },
      { binding: 'db', since: minutesAgo(5), reason: 'RightsGranted', message: undefined },
      undefined,
    ]);
  });

  it('counts a request that is not granted from when it was made, and nothing of what has not begun or has ended', () => {
    const [waits, fresh, ended] = [
      consumerWith('waits', [requested('db')]),
      consumerWith('fresh', [exported('db', [condition('Connected', 'False', 50, { severity: 'Info' })])]),
      consumerWith('ended', [exported('db', [condition('Connected', 'False', 50), condition('Unbound', 'True', 40)])]),
    ];
    const since = new Map(states(waits, fresh, ended).map((state) => [state.namespace, state.oldestOpen]));
    expect([since.get('waits'), since.get('fresh'), since.get('ended')]).toEqual([
      { binding: 'db', since: minutesAgo(7), reason: 'Pending', message: undefined },
      undefined,
      undefined,
    ]);
  });

  it('lets no consumer look younger by a time that cannot be true', () => {
    const lies = [minutesAgo(-600), 'yesterday'].map((lastTransitionTime) =>
      exported('db', [{ ...condition('Connected', 'False', 0, { reason: 'Broken' }), lastTransitionTime }]),
    );
    for (const lie of lies)
      expect(states(consumerWith('n', [lie]))[0]?.oldestOpen).toEqual({
        binding: 'db',
        since: minutesAgo(100),
        reason: 'Broken',
        message: undefined,
      });
  });

  it('tells which deletions are held', () => {
    const held = condition('DeletionsHeld', 'True', 20, { reason: 'DeletionBudget', message: '12 copies' });
    const [state] = states(consumerWith('n', [exported('db', [condition('Unbound', 'True', 40), held])]));
    expect(state?.heldDeletions).toEqual([
      { binding: 'db', since: minutesAgo(20), reason: 'DeletionBudget', message: '12 copies' },
    ]);
  });

  it.each([
    ['v1.2.3', 'none'],
    ['1.2.3-rc.1', 'none'],
    ['v1.2.10', 'newer'],
    ['v0.9.9', 'older'],
    ['unknown', 'unknown'],
    [`v1.2.${'9'.repeat(40)}`, 'unknown'],
  ])('calls a konnector %s beside a provider v1.2.3 %s', (version, skew) => {
    expect(states(consumerWith('n', [], version))[0]?.skew).toBe(skew);
  });
});
