import { describe, expect, it } from '@jest/globals';
import {
  type APIExport,
  annotations as kcpAnnotations,
  exportedResource,
  v1alpha1ClaimsAnnotation,
} from '@hawser/kcp-api';
import { type PublishedResource, type StatusField, annotations, setCondition } from '@hawser/syncagent-api';
import type { Contribution } from './contribution.js';
import { type Action, type Decision, decideLook } from './decide-look.js';
import type { Observed, ObservedExport } from './observe.js';

const agent = { name: 'textor', exportName: 'example.com' };
const now = Date.parse('2026-01-01T00:00:00Z');
const contribution = (name: string): Contribution => ({
  uid: name,
  name,
  schema: `v1.${name}.example.com`,
  claims: [],
  relatedClaims: [],
});
const [a, b, c] = ['a', 'b', 'c'].map(contribution) as [Contribution, Contribution, Contribution];
const claims = [{ group: '', resource: 'events', verbs: ['*'] }];
const fresh: APIExport = {
  apiVersion: 'apis.kcp.io/v1alpha2',
  kind: 'APIExport',
  metadata: { name: 'example.com', uid: 'e', resourceVersion: '1' },
  spec: {},
};
/** As the agent leaves it with these schemas in it. */
const exporting = (...names: readonly string[]): APIExport => ({
  ...fresh,
  metadata: {
    ...fresh.metadata,
    annotations: {
      [annotations.agentName]: 'textor',
      [kcpAnnotations.v1alpha1PermissionClaims]: v1alpha1ClaimsAnnotation(claims, fresh) ?? '',
    },
  },
  spec: { resources: names.map((name) => exportedResource(`v1.${name}.example.com`)), permissionClaims: claims },
});
const observed = (more: Partial<ObservedExport>): ObservedExport => ({
  kind: 'export',
  agent,
  current: exporting(),
  contributions: [a, b, c],
  refused: new Map(),
  oneByOne: false,
  retryInMs: undefined,
  ...more,
});
const wordsOf = (action: Action): string =>
  action.type === 'writeStatus'
    ? `status of ${action.object.metadata.name}`
    : `${typeof action.of === 'string' ? action.of : action.of.name}: ${action.change.addedSchemas.join(' ')}`;
const reportsOf = ({ reports }: Decision): string | undefined =>
  reports && [...reports].map(([uid, one]) => `${uid} ${'reason' in one ? one.reason : one.kind}`).join(', ');

describe('a look at the export', () => {
  it.each<[string, Partial<ObservedExport>, string[]]>([
    ['writes all changes together', {}, ['all: v1.a.example.com v1.b.example.com v1.c.example.com']],
    ['writes nothing that is there', { current: exporting('a', 'b', 'c') }, []],
    [
      'leaves out what kcp has refused',
      { refused: new Map([['b', 'no']]) },
      ['all: v1.a.example.com v1.c.example.com'],
    ],
    ['first writes what is due without any, one by one', { oneByOne: true, current: fresh }, ['none: ']],
    ['writes the first alone', { oneByOne: true }, ['a: v1.a.example.com']],
    ['writes the next one that is missing', { oneByOne: true, current: exporting('a') }, ['b: v1.b.example.com']],
    [
      'passes one over that was refused alone',
      { oneByOne: true, current: exporting('a'), refused: new Map([['b', 'no']]) },
      ['c: v1.c.example.com'],
    ],
    ['has no more to try', { oneByOne: true, current: exporting('a', 'c'), refused: new Map([['b', 'no']]) }, []],
    ['writes nothing where there is no export', { current: undefined }, []],
  ])('%s', (_, more, expected) => {
    expect(decideLook(observed(more)).actions.map(wordsOf)).toEqual(expected);
  });

  it('lets other keys go first between two that are tried alone', () => {
    expect(decideLook(observed({ oneByOne: true })).yields).toBe(true);
    expect(decideLook(observed({})).yields).toBeUndefined();
  });

  it.each<[string, Partial<ObservedExport>, string | undefined]>([
    ['nothing before it is written', {}, undefined],
    ['that all are exported', { current: exporting('a', 'b', 'c') }, 'a exported, b exported, c exported'],
    [
      'what kcp has refused',
      { current: exporting('a', 'c'), refused: new Map([['b', 'no']]) },
      'a exported, b APIExportRefused, c exported',
    ],
    ['that there is no export', { current: undefined, contributions: [a] }, 'a APIExportNotFound'],
    ['that the export cannot be read', { current: unreadableExport(), contributions: [a] }, 'a APIExportUnreadable'],
  ])('says %s', (_, more, expected) => {
    expect(reportsOf(decideLook(observed(more)))).toBe(expected);
  });

  it('takes no mistake of its own for an export that cannot be read', () => {
    const mistaken = contribution('a');
    Object.defineProperty(mistaken, 'schema', {
      get: () => {
        throw new TypeError('a mistake');
      },
    });
    expect(() => decideLook(observed({ contributions: [mistaken] }))).toThrow('a mistake');
  });

  it('comes back for what kcp has refused', () => {
    const refused = { refused: new Map([['b', 'no']]), retryInMs: 7 };
    expect(decideLook(observed({ ...refused, current: exporting('a', 'c') })).requeueAfterMs).toBe(7);
    expect(decideLook(observed({ ...refused, current: undefined })).requeueAfterMs).toBeUndefined();
  });
});

describe('a look at a status', () => {
  const status = (conditions: NonNullable<PublishedResource['status']>['conditions']): Observed => ({
    kind: 'status',
    object: {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name: 'a', uid: 'a' },
      spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
      status: { conditions },
    },
    report: { kind: 'exported' },
    terms: { kept: new Set<StatusField>(['conditions']), now },
  });
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'Pending',
    message: 'The schema is on its way into the APIExport.',
  } as const;
  const exported = { type: 'Exported', status: 'True', reason: 'Exported', message: '' } as const;

  it.each<[string, Observed, string[]]>([
    ['that lacks what is to be said', status([]), ['status of a']],
    ['that says it', status(setCondition(setCondition([], exported, now), ready, now)), []],
    ['of nothing', { kind: 'nothing' }, []],
  ])('%s', (_, seen, expected) => {
    expect(decideLook(seen).actions.map(wordsOf)).toEqual(expected);
  });
});

/** An annotation of kcp on it is not JSON. */
function unreadableExport(): APIExport {
  const { metadata, ...rest } = exporting();
  return {
    ...rest,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [kcpAnnotations.v1alpha1PermissionClaims]: '{' },
    },
  };
}
