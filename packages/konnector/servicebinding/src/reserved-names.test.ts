import type { APIServiceBinding, CustomResourceDefinition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { ResourceAction } from './resource-action.js';
import { namesCondition, withoutReservedNames } from './reserved-names.js';

const spec = (names: object): CustomResourceDefinition['spec'] => ({
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'tests', kind: 'Test', ...names },
  versions: [],
});

const action = (dropped: readonly string[]): ResourceAction => ({
  kind: 'inStep',
  name: 'tests.example.com',
  live: 'c-1/1',
  wanted: { name: 'tests.example.com', hash: 'h', spec: spec({}), dropped },
});

const binding = (conditions: NonNullable<APIServiceBinding['status']>['conditions'] = []): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'b' },
  status: { conditions },
});

describe('names of Kubernetes', () => {
  it('are not given to the CRD of a provider', () => {
    const { spec: kept, dropped } = withoutReservedNames(
      spec({ shortNames: ['po', 'tst', 'secret', 'networkpolicy', 'ingress'], categories: ['all', 'databases'] }),
    );
    expect(kept.names).toEqual({ plural: 'tests', kind: 'Test', shortNames: ['tst'], categories: ['databases'] });
    expect(dropped).toEqual([
      'short name po',
      'short name secret',
      'short name networkpolicy',
      'short name ingress',
      'category all',
    ]);
  });

  it('leave every other spec as it is', () => {
    const given = spec({ shortNames: ['tst'], categories: ['databases'] });
    expect(withoutReservedNames(given)).toEqual({ spec: given, dropped: [] });
  });

  it('are told of in a condition that no summary counts, and that clears', () => {
    expect(namesCondition(binding(), [action(['short name po', 'category all'])])).toMatchObject({
      type: 'NamesAccepted',
      status: 'False',
      reason: 'ReservedNamesDropped',
      severity: '',
      message: expect.stringContaining('tests.example.com (short name po, category all)'),
    });
    expect(namesCondition(binding(), [action([])])).toBeUndefined();
    expect(
      namesCondition(
        binding([{ type: 'NamesAccepted', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }]),
        [action([])],
      ),
    ).toMatchObject({ type: 'NamesAccepted', status: 'True' });
  });
});
