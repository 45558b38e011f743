import { expect } from '@jest/globals';
import type { APIExport } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';
import { roughEdge } from '@hawser/testenv';
import { contributionsOf } from './contribution.js';
import { decide } from './decide.js';

const published = (name: string, schema: string, spec: Partial<PublishedResource['spec']> = {}): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name, uid: `uid-${name}` },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' }, ...spec },
  status: { resourceSchemaName: schema },
});
const apiExport = (spec: NonNullable<APIExport['spec']> = {}): APIExport => ({
  apiVersion: 'apis.kcp.io/v1alpha2',
  kind: 'APIExport',
  metadata: { name: 'example.com', uid: 'e', resourceVersion: '1' },
  spec,
});

roughEdge('RE-12', 'a claim that was narrowed through v1alpha2 is not made a second time', () => {
  const related = [
    { identifier: 's', origin: 'service', kind: 'Secret', object: { template: { template: 'x' } } },
  ] as const;
  const { change } = decide(
    apiExport({ permissionClaims: [{ group: '', resource: 'secrets', verbs: ['get', 'list'] }] }),
    'lab',
    contributionsOf([published('a', 'v1.things.example.com', { related })]),
  );
  expect(change?.claims?.filter(({ resource }) => resource === 'secrets')).toEqual([
    { group: '', resource: 'secrets', verbs: ['get', 'list'] },
  ]);
});

roughEdge('RE-14', 'one PublishedResource that cannot be exported keeps no other out', () => {
  const { change } = decide(
    apiExport(),
    'lab',
    contributionsOf([published('a', 'nonsense'), published('b', 'v1.things.example.com')]),
  );
  expect(change?.addedSchemas).toEqual(['v1.things.example.com']);
});
