import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { getCondition, hasCondition, markTrue, setSummary } from './conditions/index.js';
import type { Kind } from './kinds/all-kinds.js';
import { malformation, unreadableView } from './malformation.js';

const object = (kind: string, spec: unknown): KubeObject => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind,
  metadata: { name: 'one' },
  ...(spec === undefined ? {} : { spec }),
});
const resources = [{ group: 'example.com', resource: 'tests', versions: ['v1'] }];
const sound = { resources, informerScope: 'Cluster', isolation: 'Prefixed' };
const schema = {
  informerScope: 'Cluster',
  group: 'example.com',
  names: { plural: 'tests', kind: 'Test', singular: 'test', listKind: 'TestList' },
  scope: 'Namespaced',
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
};

describe('malformation', () => {
  it.each<[Kind, unknown, string | undefined]>([
    ['APIServiceExport', sound, undefined],
    ['APIServiceExport', { ...sound, unknown: 1 }, undefined],
    ['APIServiceExport', undefined, 'spec is required'],
    ['APIServiceExport', 'x', 'spec must be of type object, is string'],
    ['APIServiceExport', { ...sound, resources: 'x' }, 'spec.resources must be of type array, is string'],
    ['APIServiceExport', { ...sound, resources: null }, 'spec.resources must be of type array, is null'],
    ['APIServiceExport', { ...sound, resources: [null] }, 'spec.resources[0] must be of type object, is null'],
    [
      'APIServiceExport',
      { ...sound, resources: [{ ...resources[0], versions: null }] },
      'spec.resources[0].versions must be of type array, is null',
    ],
    ['APIServiceExport', { ...sound, permissionClaims: {} }, 'spec.permissionClaims must be of type array, is object'],
    ['BoundSchema', schema, undefined],
    ['BoundSchema', { ...schema, versions: 'x' }, 'spec.versions must be of type array, is string'],
    [
      'BoundSchema',
      { ...schema, versions: [{ ...schema.versions[0], schema: 7 }] },
      'spec.versions[0].schema must be of type object, is integer',
    ],
    ['APIServiceExportRequest', { resources }, undefined],
    [
      'APIServiceExportRequest',
      { resources, namespaces: [7] },
      'spec.namespaces[0] must be of type object, is integer',
    ],
    [
      'ClusterBinding',
      { kubeconfigSecretRef: { name: 'a', key: 'b' }, providerPrettyName: 7 },
      'spec.providerPrettyName must be of type string, is integer',
    ],
  ])('%s with %j: %s', (kind, spec, expected) => {
    const problem = malformation(kind, object(kind, spec));
    expect(problem === undefined ? undefined : `${problem.path} ${problem.message}`).toBe(expected);
  });

  it('is looked for once per version of an object', () => {
    let reads = 0;
    const one = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: { name: 'one' },
      get spec() {
        reads++;
        return sound;
      },
    };
    malformation('APIServiceExport', one);
    const once = reads;
    malformation('APIServiceExport', one);
    expect(reads).toBe(once);
  });

  it('of what a view could not read is what the view says, also of a copy', () => {
    const view = unreadableView(
      { apiVersion: 'other.example/v1', kind: 'APIServiceExport', metadata: { name: 'one' } },
      { path: 'spec.versions', message: 'must be of type array, is string' },
    );
    expect(malformation('APIServiceExport', { ...view })).toEqual({
      path: 'spec.versions',
      message: 'must be of type array, is string',
    });
    expect(
      malformation('APIServiceExport', {
        apiVersion: 'other.example/v1',
        kind: 'APIServiceExport',
        metadata: { name: 'one' },
      }),
    ).toBeUndefined();
  });
});

describe('conditions of another shape', () => {
  const time = '2026-01-01T00:00:00Z';
  it.each([
    ['x'],
    [7],
    [{}],
    [null],
    [[null, 'x', 7, { type: 7, status: 'True' }, { status: 'True' }, { type: 'Foo', status: 'False', message: {} }]],
  ])('%j count as absent', (conditions) => {
    expect(getCondition(conditions as never, 'Foo')).toBeUndefined();
    expect(hasCondition(conditions as never, 'Foo')).toBe(false);
    const marked = setSummary(markTrue(conditions as never, 'Foo', Date.parse(time)), Date.parse(time));
    expect(marked).toEqual([
      { type: 'Ready', status: 'True', lastTransitionTime: time },
      { type: 'Foo', status: 'True', lastTransitionTime: time },
    ]);
  });
});
