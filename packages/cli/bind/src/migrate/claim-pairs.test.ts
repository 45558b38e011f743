import type { KubeObject, ObjectMeta } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { type ClaimPair, claimPairOf, claimSwapOf, type ClaimTerms, findClaimed } from './claim-pairs.js';

const terms: ClaimTerms = {
  bindingUid: 'binding',
  bindingUids: new Set(['binding', 'other']),
  clusterUid: 'cluster',
  identities: { consumer: 'cluster', provider: 'home-uid' },
};
const secret = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'team', resourceVersion: '7', ...metadata },
});
const konnector = (annotation: string) => [
  { manager: 'kbind-konnector-related', fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } } },
];
const original = secret({ uid: 'original', labels: { app: 'db', 'kube-bind.io/owner': 'provider' } });
const copy = secret({
  uid: 'copy',
  labels: { app: 'db', 'kube-bind.io/owner': 'provider' },
  annotations: {
    note: 'stays',
    'kube-bind.io/provider-namespace': 'team',
    'kube-bind.io/provider-uid': 'original',
    'hawser.dev/provider-name': 'login',
    'hawser.dev/provider-identity': 'home-uid',
    'hawser.dev/wanted-hash': 'abc',
  },
});
const older: ClaimPair = { owner: 'provider', original, copy, marks: 'v1' };
const newerCopy = secret({
  uid: 'copy',
  labels: { app: 'db', 'core.kbind.io/managed': 'true' },
  annotations: { 'core.kbind.io/consumer-cluster-uid': 'cluster', 'core.kbind.io/related-binding': 'binding' },
});
const newer = {
  owner: 'provider',
  original: secret({ uid: 'original', labels: { app: 'db' } }),
  copy: newerCopy,
  marks: 'v2',
} satisfies ClaimPair;
const withAnnotations = (object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

describe('the marks of a claimed object and its copy', () => {
  it('change to core.kbind.io in one write each, guarded by uid and version', () => {
    expect(claimSwapOf(older, 'v2', terms)).toEqual({
      original: { metadata: { uid: 'original', resourceVersion: '7', labels: { 'kube-bind.io/owner': null } } },
      copy: {
        metadata: {
          uid: 'copy',
          resourceVersion: '7',
          labels: { 'core.kbind.io/managed': 'true', 'kube-bind.io/owner': null },
          annotations: {
            'kube-bind.io/provider-namespace': null,
            'kube-bind.io/provider-uid': null,
            'hawser.dev/provider-name': null,
            'hawser.dev/provider-identity': null,
            'hawser.dev/wanted-hash': null,
            'core.kbind.io/consumer-cluster-uid': 'cluster',
            'core.kbind.io/related-binding': 'binding',
          },
        },
      },
    });
    expect(claimSwapOf(newer, 'v2', terms)).toEqual({ original: undefined, copy: undefined });
  });

  it('change back', () => {
    expect(claimSwapOf(newer, 'v1', terms)).toEqual({
      original: { metadata: { uid: 'original', resourceVersion: '7', labels: { 'kube-bind.io/owner': 'provider' } } },
      copy: {
        metadata: {
          uid: 'copy',
          resourceVersion: '7',
          labels: { 'core.kbind.io/managed': null, 'kube-bind.io/owner': 'provider' },
          annotations: {
            'core.kbind.io/consumer-cluster-uid': null,
            'core.kbind.io/related-binding': null,
            'kube-bind.io/provider-namespace': 'team',
            'kube-bind.io/provider-uid': 'original',
            'hawser.dev/provider-name': 'login',
            'hawser.dev/provider-identity': 'home-uid',
          },
        },
      },
    });
    expect(claimSwapOf(older, 'v1', terms)).toEqual({ original: undefined, copy: undefined });
  });

  it('follow on the original if a run ended between the two writes', () => {
    expect(claimSwapOf({ ...newer, original }, 'v2', terms)).toMatchObject({
      original: { metadata: { labels: { 'kube-bind.io/owner': null } } },
      copy: undefined,
    });
    expect(claimSwapOf({ ...older, original: newer.original }, 'v1', terms)).toMatchObject({
      original: { metadata: { labels: { 'kube-bind.io/owner': 'provider' } } },
      copy: undefined,
    });
  });

  it('name the present ClusterBinding on a copy of a former one', () => {
    const former = withAnnotations(newerCopy, { 'core.kbind.io/related-binding': 'gone' });
    expect(claimSwapOf({ ...newer, copy: former }, 'v2', terms)).toMatchObject({
      copy: { metadata: { annotations: { 'core.kbind.io/related-binding': 'binding' } } },
    });
  });
});

describe('a claimed object and its copy', () => {
  it.each<[string, KubeObject, KubeObject, ClaimPair['marks'] | undefined]>([
    ['of kube-bind.io', original, copy, 'v1'],
    ['of kube-bind.io, after its copy changed its words', original, newerCopy, 'v2'],
    ['of core.kbind.io', newer.original, newerCopy, 'v2'],
    [
      'of an original that was made anew',
      original,
      withAnnotations(copy, { 'kube-bind.io/provider-uid': 'old' }),
      'v1',
    ],
    [
      'of another original, as a Go konnector names it',
      original,
      secret({ uid: 'copy', annotations: { 'kube-bind.io/provider-uid': 'another' } }),
      undefined,
    ],
    [
      'of that original, as a Go konnector names it',
      original,
      secret({ uid: 'copy', annotations: { 'kube-bind.io/provider-uid': 'original' } }),
      'v1',
    ],
    ['of another name', original, withAnnotations(copy, { 'hawser.dev/provider-name': 'another' }), undefined],
    ['of another provider', original, withAnnotations(copy, { 'hawser.dev/provider-identity': 'other' }), undefined],
    [
      'of another ClusterBinding',
      newer.original,
      withAnnotations(newerCopy, { 'core.kbind.io/related-binding': 'other' }),
      undefined,
    ],
    [
      'of another cluster',
      newer.original,
      withAnnotations(newerCopy, { 'core.kbind.io/consumer-cluster-uid': 'other' }),
      undefined,
    ],
    [
      'that somebody marked in the name of a ClusterBinding that is gone',
      newer.original,
      withAnnotations(newerCopy, { 'core.kbind.io/related-binding': 'gone' }),
      undefined,
    ],
    ['without marks', newer.original, secret({ uid: 'copy' }), undefined],
    [
      'that a controller owns',
      original,
      secret({
        ...copy.metadata,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x', controller: true }],
      }),
      undefined,
    ],
  ])('%s', (_, onProvider, onConsumer, marks) => {
    expect(claimPairOf({ consumer: onConsumer, provider: onProvider }, terms)?.marks).toBe(marks);
  });

  it('of a ClusterBinding that is gone, if a konnector made the copy', () => {
    const { metadata } = withAnnotations(newerCopy, { 'core.kbind.io/related-binding': 'gone' });
    const former = secret({ ...metadata, managedFields: konnector('core.kbind.io/related-binding') });
    expect(claimPairOf({ consumer: former, provider: newer.original }, terms)?.marks).toBe('v2');
  });

  it('are found by the rules, on the side of the original', () => {
    const labels = { matchLabels: { app: 'db' } };
    const rules = (from: 'consumer' | 'provider') => ({
      rules: [{ resource: 'secrets' as const, from, labels }],
      unclear: [],
    });
    const [lone, mine] = ['lone', 'mine'].map((name) => secret({ name, uid: name, labels: { app: 'db' } }));
    if (lone === undefined || mine === undefined) throw new Error('two secrets');
    const objects = { consumer: [copy, mine], provider: [original, lone, { ...mine }] };
    const found = findClaimed(objects, rules('provider'), terms);
    expect(found.pairs).toEqual([older]);
    expect(found.alone).toEqual([{ side: 'provider', object: lone }]);
    expect(found.undecided).toEqual([mine]);
    expect(findClaimed(objects, rules('consumer'), terms).pairs).toEqual([]);
  });

  it('whose original is gone follows it, and stays no original', () => {
    const rules = {
      rules: [{ resource: 'secrets' as const, from: 'consumer' as const, labels: { matchLabels: { app: 'db' } } }],
      unclear: [],
    };
    const find = (object: KubeObject) => findClaimed({ consumer: [object], provider: [] }, rules, terms);
    const named = withAnnotations(copy, { 'hawser.dev/provider-name': 'login' });
    const orphan: ClaimPair = { ...older, original: undefined, copy: named };
    expect(find(named)).toMatchObject({ pairs: [orphan], strays: [], alone: [] });
    expect(claimSwapOf(orphan, 'v2', terms)).toMatchObject({
      original: undefined,
      copy: { metadata: { annotations: { 'core.kbind.io/related-binding': 'binding' } } },
    });
    expect(find(newerCopy)).toMatchObject({ pairs: [{ copy: newerCopy, marks: 'v2' }], strays: [], alone: [] });
    const back = claimSwapOf({ ...newer, original: undefined }, 'v1', terms);
    expect(back.copy).toMatchObject({ metadata: { labels: { 'kube-bind.io/owner': 'provider' } } });
    expect(JSON.stringify(back)).not.toContain('kube-bind.io/provider-uid');
    const foreign = withAnnotations(copy, { 'hawser.dev/provider-identity': 'other' });
    expect(find(foreign)).toMatchObject({ pairs: [], strays: [{ side: 'consumer', object: foreign }], alone: [] });
  });
});
