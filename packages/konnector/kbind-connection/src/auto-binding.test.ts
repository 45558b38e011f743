import type { Binding, Connection } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { decideAutoBinding } from './auto-binding.js';

const connection = (autoBind = true, status?: Connection['status']): Connection => ({
  apiVersion: 'core.kbind.io/v1alpha1',
  kind: 'Connection',
  metadata: { name: 'demo', uid: 'uid' },
  spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' }, autoBind },
  status,
});
const apis = (...names: readonly string[]) =>
  names.map((resource) => ({
    name: `${resource}.example.org`,
    group: 'example.org',
    resource,
    scope: 'Namespaced',
    versions: ['v1'],
  }));
const made = (...names: readonly string[]): Binding => ({
  apiVersion: 'core.kbind.io/v1alpha1',
  kind: 'ClusterBinding',
  metadata: {
    name: 'demo',
    labels: { 'core.kbind.io/managed': 'true' },
    ownerReferences: [
      { apiVersion: 'core.kbind.io/v1alpha1', kind: 'Connection', name: 'demo', uid: 'uid', controller: true },
    ],
  },
  spec: { connectionRef: { name: 'demo' }, apis: names.map((name) => ({ name: `${name}.example.org` })) },
});
const listed = (found: Binding | undefined, ...offered: readonly string[]): unknown => {
  const { change } = decideAutoBinding(connection(), found, apis(...offered));
  return change?.kind === 'create' ? change.binding.spec.apis : change?.spec.apis;
};
const conditionTexts = (
  found: Binding | undefined,
  of = connection(),
  ...offered: readonly string[]
): readonly string[] =>
  decideAutoBinding(of, found, apis(...offered)).conditions.map(({ status, reason }) => `${status} ${reason}`);

describe('the ClusterBinding of autoBind', () => {
  it('is made over all that is offered, and grows', () => {
    expect(listed(undefined, 'b', 'a')).toEqual([{ name: 'a.example.org' }, { name: 'b.example.org' }]);
    expect(listed(made('b'), 'a', 'b')).toEqual([{ name: 'a.example.org' }, { name: 'b.example.org' }]);
    expect(listed(made('a'), 'a')).toBeUndefined();
  });

  it('never shrinks, nor goes, by what a provider says', () => {
    expect(listed(made('a', 'b'), 'a')).toBeUndefined();
    expect(listed(made('a'))).toBeUndefined();
    expect(conditionTexts(undefined)).toEqual(['False Pending']);
  });

  it('is left alone where a person made it', () => {
    const own = { ...made('a'), metadata: { name: 'demo' } };
    expect(listed(own, 'b')).toBeUndefined();
    expect(conditionTexts(own, connection(), 'b')).toEqual(['False ForeignClusterBinding']);
  });

  it('stays where autoBind is switched off', () => {
    expect(conditionTexts(made('a'), connection(false))).toEqual([]);
    const conditions = [
      { type: 'AutoBound', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: '' },
    ];
    expect(conditionTexts(made('a'), connection(false, { conditions } as Connection['status']))).toEqual([
      'Unknown SwitchedOff',
    ]);
  });
});
