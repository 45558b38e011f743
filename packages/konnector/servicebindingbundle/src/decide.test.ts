import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  apiVersion,
  bundleOwnerReference,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import fc from 'fast-check';
import { decide, missing } from './decide.js';
import type { Absence, ExportsReading, Observed } from './observed.js';
import { synced } from './problems.js';

const kubeconfigSecretRef = { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' };
const bundle: APIServiceBindingBundle = {
  apiVersion,
  kind: 'APIServiceBindingBundle',
  metadata: { name: 'all', uid: 'u1' },
  spec: { kubeconfigSecretRef },
};
const owned = (name: string, metadata: object = {}, ref = kubeconfigSecretRef): APIServiceBinding => ({
  apiVersion,
  kind: 'APIServiceBinding',
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    ownerReferences: [bundleOwnerReference(bundle)],
    ...metadata,
  },
  spec: { kubeconfigSecretRef: ref },
});
const exported = (...names: string[]): ExportsReading => ({
  kind: 'known',
  exports: names.map((name) => ({ name, terminating: false })),
});
const observed = (
  exports: ExportsReading,
  bindings: readonly APIServiceBinding[] = [],
  absences: Record<string, Absence> = {},
): Observed => ({
  bundle,
  exports,
  bindings: new Map(bindings.map((binding) => [binding.metadata.name, binding])),
  absences: new Map(Object.entries(absences)),
});
const actions = (input: Observed): string[] =>
  decide(input).actions.map(({ kind, binding }) => `${kind} ${binding.metadata.name}`);
const conditionText = (input: Observed): string =>
  [synced(decide(input).problems)]
    .map(({ status, reason, severity }) =>
      [status, reason, severity].filter((part) => part !== undefined && part !== '').join(' '),
    )
    .join();
const going = '2026-01-01T00:00:00Z';

describe('decide', () => {
  it('makes a binding for each export, owned by the bundle and with its Secret', () => {
    expect(decide(observed(exported('b', 'a'))).actions).toEqual(
      ['a', 'b'].map((name) => ({
        kind: 'create',
        binding: {
          apiVersion,
          kind: 'APIServiceBinding',
          metadata: {
            name,
            ownerReferences: [
              { apiVersion, kind: 'APIServiceBindingBundle', name: 'all', uid: 'u1', controller: true },
            ],
          },
          spec: { kubeconfigSecretRef },
        },
      })),
    );
  });

  it('hands the provider that the bundle is for and the claims that it accepts down to the bindings that it makes, and nothing else', () => {
    const inherited = { 'hawser.dev/provider-identity': 'p', 'hawser.dev/accepted-claims': '*' };
    const [action] = decide({
      ...observed(exported('a')),
      bundle: {
        ...bundle,
        metadata: { ...bundle.metadata, annotations: { ...inherited, 'hawser.dev/paused': 'true', note: 'x' } },
      },
    }).actions;
    expect(action?.binding.metadata.annotations).toEqual(inherited);
  });

  it.each<[string, Observed, string[], string]>([
    ['does nothing in step', observed(exported('a'), [owned('a')]), [], 'True'],
    [
      'binds nothing to an export that is going',
      observed({ kind: 'known', exports: [{ name: 'a', terminating: true }] }),
      [],
      'True',
    ],
    [
      'keeps the binding of an export that is going',
      observed({ kind: 'known', exports: [{ name: 'a', terminating: true }] }, [owned('a')]),
      [],
      'True',
    ],
    [
      'leaves bindings of nobody alone',
      observed(exported('a'), [owned('a', { ownerReferences: [] })]),
      [],
      'False ForeignAPIServiceBinding Warning',
    ],
    [
      'takes an earlier bundle of its name for another',
      observed(exported('a'), [owned('a', { ownerReferences: [{ ...bundleOwnerReference(bundle), uid: 'u0' }] })]),
      [],
      'False ForeignAPIServiceBinding Warning',
    ],
    [
      'knows its bindings in any version',
      observed(exported('a'), [
        owned('a', { ownerReferences: [{ ...bundleOwnerReference(bundle), apiVersion: 'kube-bind.io/v1alpha1' }] }),
      ]),
      [],
      'True',
    ],
    [
      'reports a binding with another Secret',
      observed(exported('a'), [owned('a', {}, { ...kubeconfigSecretRef, name: 'other' })]),
      [],
      'False ForeignAPIServiceBinding Warning',
    ],
    [
      'waits for a binding to go',
      observed(exported('a'), [owned('a', { deletionTimestamp: going })]),
      [],
      'False APIServiceBindingTerminating Info',
    ],
    [
      'deletes the binding of an export that is proven gone',
      observed(exported('a'), [owned('a'), owned('b')], { b: { kind: 'gone' } }),
      ['delete b'],
      'True',
    ],
    [
      'keeps a binding whose deletion a person has to approve',
      observed(exported('a'), [owned('a'), owned('b')], {
        b: { kind: 'held', why: 'unseen', count: 1, token: '1-abc' },
      }),
      [],
      'False DeletionsHeld Warning',
    ],
    [
      'waits before it looks into a missing export',
      observed(exported('a'), [owned('a'), owned('b')], { b: { kind: 'recent' } }),
      [],
      'True',
    ],
    [
      'believes the live read more than the cache',
      observed(exported('a'), [owned('a'), owned('b')], { b: { kind: 'exists' } }),
      [],
      'True',
    ],
    [
      'keeps what is not proven gone',
      observed(exported('a'), [owned('a'), owned('b')], { b: { kind: 'unproven', why: 'no' } }),
      [],
      'False BindingsKept Warning',
    ],
    [
      'keeps all when nothing is exported any more',
      observed(exported(), [owned('a'), owned('b')], { a: { kind: 'gone' }, b: { kind: 'gone' } }),
      [],
      'False BindingsKept Warning',
    ],
    [
      'keeps all when the exports cannot be read',
      observed({ kind: 'unreadable', error: 'no' }, [owned('a')], { a: { kind: 'gone' } }),
      [],
      'False ListExportsFailed Error',
    ],
    [
      'never deletes bindings of others',
      observed(exported('a'), [owned('a'), owned('b', { ownerReferences: [] })], { b: { kind: 'gone' } }),
      [],
      'True',
    ],
    [
      'does nothing for a bundle that is going',
      { ...observed(exported('a')), bundle: { ...bundle, metadata: { ...bundle.metadata, deletionTimestamp: going } } },
      [],
      'True',
    ],
  ])('%s', (_, input, expected, condition) => {
    expect(actions(input)).toEqual(expected);
    expect(conditionText(input)).toBe(condition);
  });

  it('tells first what somebody has to see to, and not everything', () => {
    const bindings = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
      owned(name, name === 'a' ? { deletionTimestamp: going } : { ownerReferences: [] }),
    );
    const condition = synced(decide(observed(exported('a', 'b', 'c', 'd', 'e', 'f'), bindings)).problems);
    expect(condition).toMatchObject({ reason: 'ForeignAPIServiceBinding', severity: 'Warning' });
    expect(condition.message).toContain('And 1 more.');
    expect(condition.message).not.toContain('is being deleted');
  });

  it('deletes nothing without proof, whatever it sees', () => {
    const absence = fc.constantFrom<Absence>(
      { kind: 'recent' },
      { kind: 'gone' },
      { kind: 'exists' },
      { kind: 'unproven', why: 'no' },
      { kind: 'held', why: 'unseen', count: 1, token: '1-abc' },
    );
    const name = fc.constantFrom<string>('a', 'b', 'c', 'd');
    const names = fc.uniqueArray(name);
    fc.assert(
      fc.property(
        names,
        names,
        names,
        fc.dictionary(name, absence),
        fc.boolean(),
        (there, ours, others, absences, readable) => {
          const bindings = [
            ...others.map((name) => owned(name, { ownerReferences: [] })),
            ...ours.map((name) => owned(name)),
          ];
          const input = observed(
            readable ? exported(...there) : { kind: 'unreadable', error: 'no' },
            bindings,
            absences,
          );
          for (const action of decide(input).actions) {
            const { name: of } = action.binding.metadata;
            if (action.kind === 'create')
              expect([there.includes(of), ours.includes(of), others.includes(of)]).toEqual([true, false, false]);
            else {
              expect([ours.includes(of), there.includes(of), readable, there.length > 0, absences[of]?.kind]).toEqual([
                true,
                false,
                true,
                true,
                'gone',
              ]);
              expect(missing(input)).toContain(action.binding);
            }
          }
        },
      ),
    );
  });
});

roughEdge('R33', 'no binding is deleted because nothing is exported any more', () => {
  expect(actions(observed(exported(), [owned('a'), owned('b')], { a: { kind: 'gone' }, b: { kind: 'gone' } }))).toEqual(
    [],
  );
});
