import { describe, expect, it } from '@jest/globals';

import type { UnstructuredObject } from '@hawser/client';

import { announcements } from './announce.js';
import type { RelatedPair } from './related-pairs.js';
import type { RelatedRule } from './rules.js';
import { sourceObject } from './testing/pairs.js';

const prefix = 'related-resources.syncagent.kcp.io/';
const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' };
const rule: RelatedRule = {
  identifier: 'credentials',
  origin: 'service',
  cleanup: false,
  syncStatus: false,
  mutations: undefined,
  resources: { kcp: widgets, service: widgets },
  resolve: () => Promise.resolve([]),
};
const placed = (...names: readonly (readonly [name: string, namespace?: string])[]): readonly RelatedPair[] =>
  names.map(([name, namespace], index) => {
    const object: UnstructuredObject = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: `orig-${name}`, namespace: 'svc' },
    };
    const destination = { namespace, name };
    return {
      rule,
      index,
      resolved: { origin: { namespace: 'svc', name: object.metadata.name, object }, destination },
      record: {
        identifier: rule.identifier,
        origin: 'service',
        cleanup: false,
        kcp: widgets,
        service: widgets,
        source: { namespace: 'svc', name: object.metadata.name },
        kind: 'Widget',
        destination,
      },
    };
  });
const primary = (annotations: Readonly<Record<string, string>> = {}): UnstructuredObject =>
  sourceObject({ metadata: { annotations } });

describe('announcements', () => {
  it('have the bytes of the Go agent', () => {
    expect(announcements(primary(), placed(['a', 'default'], ['b']), [])).toEqual({
      [`${prefix}credentials.0`]: '{"namespace":"default","name":"a","apiVersion":"example.com/v1","kind":"Widget"}',
      [`${prefix}credentials.1`]: '{"name":"b","apiVersion":"example.com/v1","kind":"Widget"}',
    });
  });

  it('cost nothing when they are there', () => {
    const there = announcements(primary(), placed(['a', 'default']), []) as Readonly<Record<string, string>>;
    expect(announcements(primary({ ...there, other: 'x' }), placed(['a', 'default']), [])).toBeUndefined();
    expect(announcements(primary(), [], [])).toBeUndefined();
  });

  it('are corrected in one patch, and removed when nothing has their place any more, unless that is not known', () => {
    const there = announcements(
      primary(),
      placed(['a', 'default'], ['b', 'default'], ['c', 'default']),
      [],
    ) as Readonly<Record<string, string>>;
    const more = {
      [`${prefix}credentials.x`]: 'not ours',
      [`${prefix}gone.0`]: 'of an entry that is no more',
      [`${prefix}unknown.0`]: 'of one that could not be resolved',
    };
    expect(
      announcements(primary({ ...there, ...more }), placed(['a', 'default'], ['z', 'default']), ['unknown']),
    ).toEqual({
      [`${prefix}credentials.1`]: '{"namespace":"default","name":"z","apiVersion":"example.com/v1","kind":"Widget"}',
      [`${prefix}credentials.2`]: null,
      [`${prefix}gone.0`]: null,
    });
  });
});
