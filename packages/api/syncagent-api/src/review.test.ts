import { describe, expect, it } from '@jest/globals';
import type { PublishedResourceSpec } from './kinds/published-resource.js';
import type { RelatedResource } from './kinds/related-resource.js';
import { type Finding, reviewSpec } from './review.js';

const resource = { apiGroup: 'example.com', kind: 'Database' };
const secret: RelatedResource = {
  identifier: 'credentials',
  origin: 'service',
  version: 'v1',
  resource: 'secrets',
  object: { reference: { path: 'spec.secretName' } },
};
const spec = (change: Partial<PublishedResourceSpec>): PublishedResourceSpec => ({ resource, ...change });
const related = (change: Partial<RelatedResource>): PublishedResourceSpec =>
  spec({ related: [{ ...secret, ...change }] });

describe('reviewSpec', () => {
  it.each<[string, PublishedResourceSpec]>([
    ['a plain spec', spec({})],
    ['deprecated version alone', spec({ resource: { ...resource, version: 'v1', versions: [] } })],
    [
      'everything once',
      related({
        object: {
          selector: {
            matchExpressions: [
              { key: 'a', operator: 'Exists' },
              { key: 'b', operator: 'In', values: ['c'] },
            ],
            rewrite: { regex: {} },
          },
          namespace: { template: { template: 'x' } },
        },
        mutation: { spec: [{ delete: { path: 'a' } }], status: [{ template: { path: 'a', template: '' } }] },
      }),
    ],
  ])('finds nothing in %s', (_, good) => {
    expect(reviewSpec(good)).toEqual([]);
  });

  it.each<[string, PublishedResourceSpec, string, Finding['severity']]>([
    ['no kind', spec({ resource: { ...resource, kind: '' } }), 'spec.resource.kind', 'error'],
    [
      'version and versions',
      spec({ resource: { ...resource, version: 'v1', versions: ['v1'] } }),
      'spec.resource',
      'error',
    ],
    [
      'both in the projection',
      spec({ projection: { version: 'v1', versions: { v1: 'v2' } } }),
      'spec.projection',
      'warning',
    ],
    [
      'an operator that is none',
      spec({ filter: { resource: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } } }),
      'spec.filter.resource.matchExpressions[0].operator',
      'error',
    ],
    [
      'In without values',
      spec({ filter: { namespace: { matchExpressions: [{ key: 'a', operator: 'In' }] } } }),
      'spec.filter.namespace.matchExpressions[0].values',
      'error',
    ],
    [
      'Exists with values',
      related({ watch: { bySelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } } }),
      'spec.related[0].watch.bySelector.matchExpressions[0].values',
      'error',
    ],
    ['a step that says nothing', spec({ mutation: { status: [{}] } }), 'spec.mutation.status[0]', 'error'],
    [
      'a step that says two things',
      spec({ mutation: { spec: [{ delete: { path: 'a' }, cel: { path: 'a', expression: '1' } }] } }),
      'spec.mutation.spec[0]',
      'warning',
    ],
    ['two entries of one name', spec({ related: [secret, secret] }), 'spec.related[1].identifier', 'error'],
    ['a name for no annotation', related({ identifier: 'a/b' }), 'spec.related[0].identifier', 'error'],
    ['a name that is too long', related({ identifier: 'x'.repeat(51) }), 'spec.related[0].identifier', 'error'],
    ['no way to the object', related({ object: {} }), 'spec.related[0].object', 'error'],
    [
      'two ways to the object',
      related({ object: { reference: { path: 'a' }, template: { template: 'b' } } }),
      'spec.related[0].object',
      'warning',
    ],
    [
      'no way to the namespace',
      related({ object: { reference: { path: 'a' }, namespace: {} } }),
      'spec.related[0].object.namespace',
      'error',
    ],
    [
      'a reference to nowhere',
      related({ object: { reference: { path: '' } } }),
      'spec.related[0].object.reference.path',
      'error',
    ],
    [
      'a selector that names nothing on the other side',
      related({ object: { selector: { rewrite: {} } } }),
      'spec.related[0].object.selector.rewrite',
      'error',
    ],
    ['an empty resource', related({ resource: '' }), 'spec.related[0]', 'error'],
    ['cleanup without effect', related({ origin: 'kcp', cleanup: true }), 'spec.related[0].cleanup', 'warning'],
    ['a step on a related object', related({ mutation: { spec: [{}] } }), 'spec.related[0].mutation.spec[0]', 'error'],
  ])('%s', (_, bad, path, severity) => {
    expect(reviewSpec(bad)).toEqual([{ path, severity, message: expect.stringMatching(/\w/u) as unknown }]);
  });
});
