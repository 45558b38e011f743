import type { Binding } from '@hawser/core-kbind';
import { expect, it } from '@jest/globals';
import { Routes } from './router.js';

const api = 'widgets.example.org';
const binding: Binding = {
  apiVersion: 'core.kbind.io/v1alpha1',
  kind: 'ClusterBinding',
  metadata: { name: 'gold', uid: 'u', generation: 2, resourceVersion: '7', finalizers: ['core.kbind.io/cleanup'] },
  spec: { connectionRef: { name: 'alpha' }, apis: [{ name: api }] },
};
const { metadata, spec } = binding;

it.each<[string, Binding | undefined, boolean]>([
  [
    'its status changes',
    { ...binding, metadata: { ...metadata, resourceVersion: '8' }, status: { conditions: [] } },
    false,
  ],
  ['a finalizer comes while it stands', { ...binding, metadata: { ...metadata, finalizers: [] } }, false],
  // As after a restore.
  ['its spec is another one of that generation', { ...binding, spec: { ...spec, connectionRef: { name: 'b' } } }, true],
  [
    'its selector changes',
    { ...binding, metadata: { ...metadata, annotations: { 'hawser.dev/object-selector': 'a=b' } } },
    true,
  ],
  ['it is deleted', { ...binding, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, true],
  [
    'it is deleted, and has let go',
    { ...binding, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] } },
    true,
  ],
  ['another one has its name', { ...binding, metadata: { ...metadata, uid: 'v' } }, true],
  ['it is gone', undefined, true],
])('objects of a binding are looked at again where %s: %#', (_, next, expected) => {
  let bindings: readonly Binding[] = [binding];
  const routes = new Routes({ bindings: () => bindings, crd: () => undefined });
  const before = routes.version(api);
  bindings = next === undefined ? [] : [next];
  expect(routes.version(api) !== before).toBe(expected);
  const after = routes.version(api);
  expect(routes.version(api)).toBe(after);
});
