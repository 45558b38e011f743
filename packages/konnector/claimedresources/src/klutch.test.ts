import type { UnstructuredObject } from '@hawser/client';
import { type BindingPolicy, defaultPolicy } from '@hawser/konnector-sync';
import { describe, expect, it } from '@jest/globals';

import { claimedBy } from './claimed-by.js';
import { readClaims } from './claim.js';
import { decide } from './decide.js';
import { readKlutchClaim } from './klutch-claim.js';
import { klutchMarks } from './klutch-marks.js';
import type { Side } from './marks.js';
import type { Observed, PairSettings } from './observed.js';

const OWNER = 'klutch.anynines.com/resource-owner';
const settings: PairSettings = {
  consumerCluster: 'cc',
  clusterNamespace: 'cluster-x',
  clusterNamespaceUid: 'cn',
  namespaceGraceMs: 30_000,
  marks: klutchMarks,
};
const ofConsumer = { 'kube-bind.io/consumer-namespace': 'team', 'kube-bind.io/consumer-uid': 'uc' };
const ofProvider = { 'kube-bind.io/provider-namespace': 'cluster-x-team', 'kube-bind.io/provider-uid': 'up' };
const ours = {
  consumer: { 'hawser.dev/consumer-identity': 'cc', 'hawser.dev/consumer-name': 's' },
  provider: { 'hawser.dev/provider-identity': 'cn', 'hawser.dev/provider-name': 's' },
};
interface Fields {
  readonly owner?: 'Provider' | 'Consumer';
  readonly marks?: Readonly<Record<string, string>>;
  readonly data?: string;
  /** Who has set the owner. */ readonly by?: string;
}

const secret = (side: Side, { owner, marks = {}, data = 'v', by }: Fields = {}): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: { k: data },
  type: 'Opaque',
  metadata: {
    name: 's',
    namespace: side === 'consumer' ? 'team' : 'cluster-x-team',
    uid: side === 'consumer' ? 'uc' : 'up',
    resourceVersion: '1',
    annotations: { ...marks, ...(owner === undefined ? {} : { [OWNER]: owner }) },
    ...(by === undefined
      ? {}
      : { managedFields: [{ manager: by, fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${OWNER}`]: {} } } } }] }),
  },
});
function outcomeOf(
  consumer: Fields | undefined,
  provider: Fields | undefined,
  more: Partial<Observed> = {},
  policy: Partial<BindingPolicy> = {},
): string {
  const objects = {
    ...(consumer === undefined ? {} : { consumer: secret('consumer', consumer) }),
    ...(provider === undefined ? {} : { provider: secret('provider', provider) }),
  };
  const {
    actions: [action],
    verdict,
  } = decide(
    {
      name: 's',
      consumerNamespace: 'team',
      cached: objects,
      contents: objects,
      placement: { kind: 'assigned', namespace: 'cluster-x-team' },
      cacheReady: { consumer: true, provider: true },
      claimedBy: { consumer: consumer === undefined ? [] : ['b'], provider: provider === undefined ? [] : ['b'] },
      protection: {},
      memory: {},
      now: 1_000_000,
      ...more,
    },
    settings,
    new Map([['b', { ...defaultPolicy, ...policy }]]),
  );
  if (action !== undefined) return 'side' in action ? `${action.type} ${action.side}` : action.type;
  return verdict.kind === 'held'
    ? verdict.reason
    : verdict.kind === 'inStep'
      ? `inStep, of the ${verdict.owner}`
      : verdict.kind;
}

describe('whose an object is (spec/klutch.md §12)', () => {
  it.each<[string, Fields | undefined, Fields | undefined, string]>([
    ['only the provider has it, and it says nothing', undefined, {}, 'markOriginal provider'],
    ['only the consumer has it, and it says nothing', {}, undefined, 'markOriginal consumer'],
    ["the provider's", undefined, { owner: 'Provider' }, 'createCopy consumer'],
    ["the consumer's", { owner: 'Consumer' }, undefined, 'createCopy provider'],
    [
      'copies of a Klutch konnector are taken over unwritten',
      { owner: 'Provider' },
      { owner: 'Provider' },
      'inStep, of the provider',
    ],
    ['the other way round, too', { owner: 'Consumer' }, { owner: 'Consumer' }, 'inStep, of the consumer'],
    [
      'the copy on the consumer was edited',
      { owner: 'Provider', data: 'x' },
      { owner: 'Provider' },
      'patchCopy consumer',
    ],
    [
      'the copy on the provider was edited',
      { owner: 'Consumer' },
      { owner: 'Consumer', data: 'x' },
      'patchCopy provider',
    ],
    [
      "the provider's word counts first",
      { owner: 'Provider' },
      { owner: 'Consumer', data: 'x' },
      'markOriginal consumer',
    ],
    ["then the consumer's", { owner: 'Provider', data: 'x' }, {}, 'markOriginal provider'],
    ['a copy of ours that has lost its annotation', { marks: ofProvider }, { owner: 'Provider' }, 'patchCopy consumer'],
    ['both have it, and neither says anything', {}, {}, 'ClaimedObjectExists'],
    ['the consumer had it before', {}, { owner: 'Provider' }, 'ClaimedObjectExists'],
    ['the provider had it before', { owner: 'Consumer' }, {}, 'ClaimedObjectExists'],
    ["each says that it is its own side's", { owner: 'Consumer' }, { owner: 'Provider' }, 'ClaimedObjectExists'],
    [
      'the copy is of another provider',
      { owner: 'Provider', marks: { 'hawser.dev/provider-identity': 'other' } },
      { owner: 'Provider' },
      'ClaimedByAnotherProvider',
    ],
  ])('%s', (_, consumer, provider, expected) => {
    expect(outcomeOf(consumer, provider)).toBe(expected);
  });

  it("is the provider's where both have it, once the binding wants that what stands there is taken over", () => {
    expect([
      outcomeOf({ data: 'x' }, {}, {}, { conflicts: 'Adopt' }),
      outcomeOf({ data: 'x' }, { owner: 'Provider' }, {}, { conflicts: 'Adopt' }),
      outcomeOf({ owner: 'Consumer' }, { data: 'x' }, {}, { conflicts: 'Adopt' }),
    ]).toEqual(['markOriginal provider', 'patchCopy consumer', 'patchCopy provider']);
    // And the consumer's, where only there something is claimed.
    expect(outcomeOf({}, { data: 'x' }, { claimedBy: { consumer: ['b'], provider: [] } }, { conflicts: 'Adopt' })).toBe(
      'markOriginal consumer',
    );
  });

  it('a copy whose original is gone goes on proof, and only if it is known to be ours', () => {
    const deleted = { consumer: 'uc', provider: 'up' };
    const gone = { originalGone: true, memory: { deleted } };
    const mine: Fields = { owner: 'Provider', marks: { ...ofProvider, ...ours.provider } };
    expect([outcomeOf(mine, undefined, { memory: { deleted } }), outcomeOf(mine, undefined, gone)]).toEqual([
      'proveGone provider',
      'deleteCopy consumer',
    ]);
    expect([
      outcomeOf(undefined, { owner: 'Consumer', marks: { ...ofConsumer, ...ours.consumer } }, { memory: { deleted } }),
      outcomeOf(undefined, { owner: 'Consumer', marks: { ...ofConsumer, ...ours.consumer } }, gone),
    ]).toEqual(['proveGone consumer', 'deleteCopy provider']);
    // One of a Klutch konnector says nothing of its original: it goes if that was seen to go, and a konnector has made it.
    const seen = { ...gone, memory: { seen: { provider: 'up' }, deleted } };
    expect([
      outcomeOf({ owner: 'Provider', by: 'konnector' }, undefined, gone),
      outcomeOf({ owner: 'Provider', by: 'konnector' }, undefined, seen),
      outcomeOf({ owner: 'Provider', by: 'kubectl-create' }, undefined, seen),
    ]).toEqual(['ClaimedCopyLeftOver', 'deleteCopy consumer', 'ClaimedCopyLeftOver']);
    expect(outcomeOf(mine, undefined, { ...gone, cacheReady: { consumer: true, provider: false } })).toBe(
      'progressing',
    );
  });

  it('neither label nor annotation is carried as it is', () => {
    const objects = { provider: secret('provider', { owner: 'Provider' }) };
    const {
      actions: [action],
    } = decide(
      {
        name: 's',
        consumerNamespace: 'team',
        cached: objects,
        contents: objects,
        placement: { kind: 'assigned', namespace: 'cluster-x-team' },
        cacheReady: { consumer: true, provider: true },
        claimedBy: { consumer: [], provider: ['b'] },
        protection: {},
        memory: {},
        now: 1,
      },
      settings,
    );
    expect(action).toMatchObject({
      type: 'createCopy',
      copy: {
        metadata: {
          namespace: 'team',
          labels: {},
          annotations: { [OWNER]: 'Provider', ...ofProvider, ...ours.provider },
        },
      },
    });
  });
});

describe('a claim of Klutch', () => {
  const resource = { group: '', version: 'v1', resource: 'secrets' };
  const spec = {
    spec: {
      informerScope: 'Namespaced',
      isolation: 'Prefixed',
      resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
    },
  } as const;
  const selected = (selector: Parameters<typeof readKlutchClaim>[0]['selector']): readonly string[] => {
    const { claims } = readClaims('b', [readKlutchClaim({ group: '', resource: 'secrets', selector })], spec);
    const resolved = claims.map((claim) => ({ claim, references: [] }));
    return (['consumer', 'provider'] as const).flatMap((side) =>
      ['team', 'other'].flatMap((namespace) =>
        ['one', 'two'].flatMap((name) =>
          claimedBy(resolved, resource, side, namespace, {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name, namespace },
          }).length > 0
            ? [`${side} ${namespace}/${name}`]
            : [],
        ),
      ),
    );
  };
  it('selects by names, namespaces and owner, and everything where it says nothing', () => {
    expect(selected(undefined)).toHaveLength(8);
    expect(selected({ names: ['*'], namespaces: ['*'] })).toHaveLength(8);
    expect(selected({ owner: 'Provider' })).toEqual([
      'provider team/one',
      'provider team/two',
      'provider other/one',
      'provider other/two',
    ]);
    expect(selected({ names: ['one'], namespaces: ['team'], owner: 'Consumer' })).toEqual(['consumer team/one']);
    expect(selected({ namespaces: ['other'], owner: 'Consumer' })).toEqual([
      'consumer other/one',
      'consumer other/two',
    ]);
  });
});
