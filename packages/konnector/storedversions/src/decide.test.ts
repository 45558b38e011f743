import type { CustomResourceDefinition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';

interface Given {
  readonly stored?: readonly string[];
  readonly served?: readonly string[];
  readonly established?: boolean;
  readonly going?: boolean;
}

const crd = ({
  stored = ['v1', 'v2'],
  served = ['v1', 'v2'],
  established = true,
  going = false,
}: Given): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.com', ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'databases', kind: 'Database' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: served.includes(name),
      storage: name === 'v2',
      subresources: {},
    })),
  },
  status: { storedVersions: stored, conditions: [{ type: 'Established', status: established ? 'True' : 'False' }] },
});

describe('a CRD whose storage version has moved', () => {
  it.each<[string, Given, number, unknown]>([
    [
      'is migrated',
      {},
      10_000,
      {
        kind: 'migrate',
        resource: { group: 'example.com', version: 'v2', resource: 'databases' },
        storage: 'v2',
        old: ['v1'],
      },
    ],
    [
      'is migrated through another version where the stored one is not served',
      { served: ['v1'] },
      10_000,
      {
        kind: 'migrate',
        resource: { group: 'example.com', version: 'v1', resource: 'databases' },
        storage: 'v2',
        old: ['v1'],
      },
    ],
    ['waits until every API server knows', {}, 4_000, { kind: 'wait', ms: 6_000 }],
    ['cannot be migrated where nothing is served', { served: [] }, 10_000, { kind: 'unreachable', old: ['v1'] }],
    ['is left while it is not established', { established: false }, 10_000, { kind: 'nothing' }],
    ['is left while it is being deleted', { going: true }, 10_000, { kind: 'nothing' }],
    ['is left once nothing else is stored', { stored: ['v2'] }, 10_000, { kind: 'nothing' }],
    ['is left while nothing was ever stored', { stored: [] }, 10_000, { kind: 'nothing' }],
  ])('%s', (_, given, sinceMs, expected) => {
    expect(decide(crd(given), sinceMs, 10_000)).toEqual(expected);
  });
});
