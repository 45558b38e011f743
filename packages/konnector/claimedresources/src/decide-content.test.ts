import { type UnstructuredObject, versionOf } from '@hawser/client';
import { type BindingPolicy, defaultPolicy } from '@hawser/konnector-sync';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { klutchMarks } from './klutch-marks.js';
import { type Observed, type PairMemory, type PairSettings } from './observed.js';

const settings: PairSettings = {
  consumerCluster: 'cc',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'cn',
  namespaceGraceMs: 30_000,
};
const NOW = 1_000_000;
const HASH = 'hawser.dev/wanted-hash';
const REWRITTEN = 'hawser.dev/rewritten-hash';
type Data = Readonly<Record<string, string>>;

const original = (data: Data, kind = 'Secret'): UnstructuredObject => ({
  apiVersion: 'v1',
  kind,
  data,
  metadata: {
    name: 's',
    namespace: 'kube-bind-x-team',
    uid: 'up',
    resourceVersion: JSON.stringify(data),
    labels: { 'kube-bind.io/owner': 'provider' },
  },
});

/** What we make of an original: the first copy, as the server gives it. */
function made(from: UnstructuredObject, policy: Partial<BindingPolicy> = {}): UnstructuredObject {
  const {
    actions: [action],
  } = look(from, undefined, policy);
  if (action?.type !== 'createCopy') throw new Error('no copy is made');
  return { ...action.copy, metadata: { ...action.copy.metadata, uid: 'uc', resourceVersion: '1' } };
}
/** Fields of the data, by who wrote them last. */
const by = (writers: Readonly<Record<string, readonly string[]>>): never =>
  Object.entries(writers).map(([manager, keys]) => ({
    manager,
    operation: 'Update',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
  })) as never;
function changed(
  copy: UnstructuredObject,
  data: Data,
  writers: Readonly<Record<string, readonly string[]>> = {},
  annotations: Data = {},
): UnstructuredObject {
  return {
    ...copy,
    data,
    metadata: {
      ...copy.metadata,
      resourceVersion: '2',
      annotations: { ...copy.metadata.annotations, ...annotations },
      managedFields: by(writers),
    },
  };
}
function look(
  provider: UnstructuredObject,
  consumer: UnstructuredObject | undefined,
  policy: Partial<BindingPolicy>,
  memory: PairMemory = {},
  now = NOW,
  of = settings,
): Decision {
  const objects = { provider, ...(consumer === undefined ? {} : { consumer }) };
  const observed: Observed = {
    name: 's',
    consumerNamespace: 'team',
    cached: objects,
    contents: objects,
    placement: { kind: 'assigned', namespace: 'kube-bind-x-team' },
    cacheReady: { consumer: true, provider: true },
    claimedBy: { consumer: [], provider: ['b'] },
    protection: {},
    memory,
    now,
  };
  return decide(observed, of, new Map([['b', { ...defaultPolicy, ...policy }]]));
}
const outcomeOf = ({ actions: [action], verdict }: Decision): string =>
  action !== undefined ? action.type : verdict.kind === 'held' ? verdict.reason : verdict.kind;
/** What a decision would leave in the data of the copy. */
const written = ({ actions: [action] }: Decision): unknown =>
  action?.type === 'patchCopy' ? action.wanted.fields['data'] : undefined;
const unhashed = (copy: UnstructuredObject): UnstructuredObject => ({
  ...copy,
  metadata: {
    ...copy.metadata,
    annotations: Object.fromEntries(Object.entries(copy.metadata.annotations ?? {}).filter(([key]) => key !== HASH)),
  },
});

const ab = { a: '1', b: '1' };
const policies = ['Correct', 'Report', 'Ignore'] as const;

describe('a copy that somebody has changed', () => {
  it.each<[string, Data]>([
    ['another value', { a: 'x', b: '1' }],
    ['something removed', { b: '1' }],
    ['something added', { ...ab, c: 'x' }],
  ])('is put back, told or left: %s', (_, data) => {
    const copy = changed(made(original(ab)), data, { otherClient: ['a'], 'kube-bind.io': ['b'] });
    expect(policies.map((drift) => outcomeOf(look(original(ab), copy, { drift })))).toEqual([
      'patchCopy',
      'ClaimedObjectDrifted',
      'inStep',
    ]);
    expect(look(original(ab), copy, { drift: 'Report' }).withheld).toMatchObject([{ type: 'patchCopy' }]);
  });

  it('keeps that while changes of the original are carried', () => {
    const copy = changed(
      made(original(ab)),
      { a: 'x', b: '1', c: 'x' },
      { otherClient: ['a', 'c'], 'kube-bind.io': ['b'] },
    );
    const now = original({ a: '1', b: '2' });
    const decisions = policies.map((drift) => look(now, copy, { drift }));
    expect(decisions.map(written)).toEqual([
      { a: '1', b: '2' },
      { a: 'x', b: '2', c: 'x' },
      { a: 'x', b: '2', c: 'x' },
    ]);
    // What is carried is the very key that somebody had: then the original has the say.
    expect(
      written(
        look(
          original({ a: '2', b: '1' }),
          changed(made(original(ab)), { a: '1', b: '1' }, { 'kube-bind.io': ['a', 'b'] }),
          { drift: 'Report' },
        ),
      ),
    ).toEqual({ a: '2', b: '1' });
    expect(
      look(original({ b: '1' }), changed(made(original(ab)), ab, { 'kube-bind.io': ['a', 'b'] }), { drift: 'Report' })
        .actions[0],
    ).toMatchObject({ type: 'patchCopy', remove: [['data', 'a']] });
  });

  it('is known by its managedFields where it bears no hash, and is not written while in step', () => {
    const copy = unhashed(made(original(ab)));
    expect(policies.map((drift) => outcomeOf(look(original(ab), copy, { drift })))).toEqual([
      'inStep',
      'inStep',
      'inStep',
    ]);
    const theirs = changed(copy, { a: 'x', b: '1' }, { otherClient: ['a'], konnector: ['b'] });
    expect(policies.map((drift) => outcomeOf(look(original(ab), theirs, { drift })))).toEqual([
      'patchCopy',
      'ClaimedObjectDrifted',
      'inStep',
    ]);
    const old = changed(copy, { a: 'old', b: '1' }, { konnector: ['a', 'b'] });
    expect(policies.map((drift) => outcomeOf(look(original(ab), old, { drift })))).toEqual([
      'patchCopy',
      'patchCopy',
      'patchCopy',
    ]);
    // Seen in step before: the original is as it was.
    const memory = { inStep: { provider: versionOf(original(ab)), consumer: 'older' } };
    expect(outcomeOf(look(original(ab), changed(copy, { b: '1' }), { drift: 'Report' }, memory))).toBe(
      'ClaimedObjectDrifted',
    );
  });

  it.each<[number, string | undefined]>([
    [2, undefined],
    [3, 'ClaimedObjectDrifting'],
  ])('is told once it has been put back three times: %i', (corrections, reason) => {
    const copy = changed(made(original(ab)), { a: 'x', b: '1' });
    const { verdict } = look(original(ab), copy, {}, { corrections, correctNotBefore: NOW + 5_000 });
    expect(verdict).toMatchObject({ kind: 'progressing', waitingFor: 'backoff' });
    expect(verdict.kind === 'progressing' ? verdict.overdue?.reason : '').toBe(reason);
  });

  it('is told or left where it is a label that is no mark, or a field that is called like one', () => {
    const copy = made(original(ab));
    const labelled = {
      ...copy,
      metadata: { ...copy.metadata, labels: { ...copy.metadata.labels, 'kube-bind.io/owner': 'provider', app: 'x' } },
    };
    const from = {
      ...original(ab),
      metadata: { ...original(ab).metadata, labels: { 'kube-bind.io/owner': 'provider', app: 'db' } },
    };
    const memory = { inStep: { provider: versionOf(from), consumer: 'older' } };
    expect(policies.map((drift) => outcomeOf(look(from, labelled, { drift }, memory)))).toEqual([
      'patchCopy',
      'ClaimedObjectDrifted',
      'inStep',
    ]);
    const thing = (owner: string): UnstructuredObject => ({
      ...original(ab),
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      spec: { selector: { 'kube-bind.io/owner': owner } },
    });
    const selecting = made(thing('provider'));
    const other = { ...selecting, spec: { selector: { 'kube-bind.io/owner': 'somebody' } } };
    expect(policies.map((drift) => outcomeOf(look(thing('provider'), other, { drift })))).toEqual([
      'patchCopy',
      'ClaimedObjectDrifted',
      'inStep',
    ]);
  });

  it('has its marks put back whatever the policy', () => {
    const copy = made(original(ab));
    const unlabelled = { ...copy, metadata: { ...copy.metadata, labels: {} } };
    expect(policies.map((drift) => outcomeOf(look(original(ab), unlabelled, { drift })))).toEqual([
      'patchCopy',
      'patchCopy',
      'patchCopy',
    ]);
  });
});

describe('an object of somebody else that is taken over', () => {
  const theirs = (data: Data, annotations: Data = {}): UnstructuredObject => ({
    ...original(data),
    metadata: {
      name: 's',
      namespace: 'team',
      uid: 'uc',
      resourceVersion: '7',
      annotations,
      managedFields: by({ otherClient: Object.keys(data) }),
    },
  });
  const adopt = { conflicts: 'Adopt' } as const;
  it('gets the content of the original, whatever the drift policy: what stood there is no drift', () => {
    expect(
      policies.map((drift) => written(look(original(ab), theirs({ a: 'x', b: '1' }), { ...adopt, drift }))),
    ).toEqual([ab, ab, ab]);
  });
  it('is no correction of what was written there before, and waits for none', () => {
    const hash = made(original(ab)).metadata.annotations?.[HASH] ?? '';
    const memory = {
      corrections: 5,
      correctNotBefore: NOW + 5_000,
      lastWrite: { from: versionOf(original(ab)), hash, copy: 'gone/1', partly: false },
    };
    expect(look(original(ab), theirs({ a: 'x' }), adopt, memory).actions).toMatchObject([
      { type: 'patchCopy', correction: false },
    ]);
  });
  it('gets what names its original even if it has the content, and its mark is an ignored field', () => {
    const OWNER = 'klutch.anynines.com/resource-owner';
    const klutch: PairSettings = { ...settings, marks: klutchMarks };
    const owned = {
      ...original(ab),
      metadata: { ...original(ab).metadata, labels: {}, annotations: { [OWNER]: 'Provider' } },
    };
    const policy = { ...adopt, ignored: [['metadata', 'annotations', OWNER]] };
    const decision = look(owned, theirs(ab), policy, {}, NOW, klutch);
    expect(decision.actions).toMatchObject([{ type: 'patchCopy', annotations: { 'kube-bind.io/provider-uid': 'up' } }]);
    const { hash } = decision.actions[0] as { readonly hash: string };
    // A note that came along with its annotations says nothing of it.
    expect(outcomeOf(look(owned, theirs({ a: 'x', b: '1' }, { [REWRITTEN]: hash }), policy, {}, NOW, klutch))).toBe(
      'patchCopy',
    );
  });
});

describe('ignored fields', () => {
  const policy = { ignored: [['data', 'a']] };
  it('stay as they are beside what somebody has changed, while the rest is carried', () => {
    const abc = { ...ab, c: '1' };
    const copy = changed(
      made(original(abc), policy),
      { a: 'x', b: 'x', c: '1' },
      { otherClient: ['a', 'b'], 'kube-bind.io': ['c'] },
    );
    expect(written(look(original({ ...ab, c: '2' }), copy, { ...policy, drift: 'Report' }))).toEqual({
      a: 'x',
      b: 'x',
      c: '2',
    });
  });
  it('come with the copy, and are neither compared nor written then, whoever changes them', () => {
    const copy = made(original(ab), policy);
    expect(copy['data']).toEqual(ab);
    expect([
      outcomeOf(look(original(ab), changed(copy, { a: 'x', b: '1' }), policy)),
      outcomeOf(look(original({ a: '2', b: '1' }), copy, policy)),
      outcomeOf(look(original(ab), changed(copy, { b: '1' }), policy)),
    ]).toEqual(['inStep', 'inStep', 'inStep']);
    expect(written(look(original({ a: '2', b: '2' }), changed(copy, { a: 'x', b: '1' }), policy))).toEqual({
      a: 'x',
      b: '2',
    });
  });
});

describe('what the API server of the copy writes otherwise', () => {
  const copy = changed(made(original(ab)), { ...ab, added: 'x' });
  const hash = copy.metadata.annotations?.[HASH] ?? '';
  const lastWrite = { from: versionOf(original(ab)), hash, copy: versionOf(copy), partly: false };
  it('is noted once, and accepted until the original changes', () => {
    expect(outcomeOf(look(original(ab), copy, {}, { lastWrite }))).toBe('recordRewritten');
    const noted = changed(copy, { ...ab, added: 'x' }, {}, { [REWRITTEN]: hash });
    expect(policies.map((drift) => outcomeOf(look(original(ab), noted, { drift })))).toEqual([
      'rewritten',
      'rewritten',
      'rewritten',
    ]);
    expect(outcomeOf(look(original({ a: '2', b: '1' }), noted, {}))).toBe('patchCopy');
  });
  it.each<[string, Data, string]>([
    ['another value', { a: 'x', b: '1' }, 'stores data.a in team/s'],
    ['something added', { ...ab, added: 'x' }, 'stores more in team/s'],
  ])('is told by what it is: %s', (_, data, words) => {
    const { verdict } = look(original(ab), changed(made(original(ab)), data, {}, { [REWRITTEN]: hash }), {});
    expect(verdict).toMatchObject({ kind: 'rewritten', message: expect.stringContaining(words) });
  });
});

describe('a copy that is written', () => {
  it('is noted with each path that was put right and that was taken away', () => {
    const [action] = look(original(ab), changed(made(original(ab)), { a: 'x', b: '1', c: 'x' }), {}).actions;
    expect(action).toMatchObject({
      type: 'patchCopy',
      wrong: [
        ['data', 'a'],
        ['data', 'c'],
      ],
      remove: [['data', 'c']],
      partly: false,
    });
    const beside = look(
      original({ ...ab, b: '2' }),
      changed(made(original(ab)), { a: 'x', b: '1' }, { otherClient: ['a'], 'kube-bind.io': ['b'] }),
      { drift: 'Report' },
    ).actions;
    expect(beside).toMatchObject([{ type: 'patchCopy', wrong: [['data', 'b']], partly: true }]);
  });
  it('in part is not told as what the server changes: somebody has', () => {
    const copy = changed(made(original(ab)), { a: 'x', b: '1' }, { otherClient: ['a'], 'kube-bind.io': ['b'] });
    const lastWrite = {
      from: versionOf(original(ab)),
      hash: copy.metadata.annotations?.[HASH] ?? '',
      copy: versionOf(copy),
      partly: true,
    };
    expect(outcomeOf(look(original(ab), copy, { drift: 'Report' }, { lastWrite }))).toBe('ClaimedObjectDrifted');
    expect(
      outcomeOf(look(original(ab), copy, { drift: 'Report' }, { lastWrite: { ...lastWrite, partly: false } })),
    ).toBe('recordRewritten');
  });
  it('names the namespace of its original again, although what the server makes of it is accepted', () => {
    const copy = made(original(ab));
    const annotations = Object.fromEntries(
      Object.entries(copy.metadata.annotations ?? {}).filter(([key]) => key !== 'kube-bind.io/provider-namespace'),
    );
    const noted = (texts: Data): UnstructuredObject => ({
      ...copy,
      data: { ...ab, added: 'x' },
      metadata: { ...copy.metadata, annotations: { ...texts, [REWRITTEN]: copy.metadata.annotations?.[HASH] ?? '' } },
    });
    const accepted = look(original(ab), noted(copy.metadata.annotations ?? {}), {});
    expect([outcomeOf(accepted), outcomeOf(look(original(ab), noted(annotations), {}))]).toEqual([
      'rewritten',
      'patchCopy',
    ]);
  });
});

describe('two writers', () => {
  const copy = changed(made(original(ab)), { a: 'x', b: '1' }, { operator: ['a'], 'kube-bind.io': ['b'] });
  const hash = copy.metadata.annotations?.[HASH] ?? '';
  const corrected = Array.from({ length: 5 }, (_, at) => ({ at: NOW - 1_000 * at, paths: [['data', 'a']] }));
  it('are parked, and the other one is named', () => {
    const decision = look(original(ab), copy, {}, { corrected, corrections: 5 });
    expect(decision).toMatchObject({
      verdict: {
        kind: 'held',
        reason: 'ClaimedFieldContested',
        actor: 'operator',
        message: expect.stringContaining('"operator" writes data.a'),
      },
      withheld: [{ type: 'patchCopy' }],
      remember: { contest: { wantedHash: hash }, parked: { from: versionOf(original(ab)) } },
    });
    expect(JSON.stringify(decision.verdict)).not.toContain('"x"');
    // In between it is not read; later it may have been put right, or it is tried again.
    const memory = { corrected, corrections: 5, ...decision.remember };
    expect(outcomeOf(look(original(ab), copy, {}, memory, NOW + 10_000))).toBe('ClaimedFieldContested');
    expect(outcomeOf(look(original(ab), made(original(ab)), {}, memory, NOW + 40_000))).toBe('inStep');
    expect(outcomeOf(look(original(ab), copy, {}, memory, NOW + 301_000))).toBe('patchCopy');
    expect(outcomeOf(look(original({ a: '2', b: '1' }), copy, {}, memory, NOW + 10_000))).toBe('patchCopy');
    expect(outcomeOf(look(original(ab), copy, {}, { corrected: corrected.slice(1) }))).toBe('patchCopy');
  });
});

describe('of any other kind', () => {
  it('what the other side adds stays, and what a cluster assigns does not travel', () => {
    const service = (spec: object, metadata: object = {}): UnstructuredObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      spec,
      metadata: { ...original({}).metadata, ...metadata },
    });
    const from = service({
      type: 'NodePort',
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7'],
      ports: [{ port: 80, nodePort: 30_001 }],
      selector: { app: 'x' },
    });
    const copy = made(from);
    expect(copy['spec']).toEqual({ type: 'NodePort', ports: [{ port: 80 }], selector: { app: 'x' } });
    const assigned = {
      ...copy,
      spec: {
        ...(copy['spec'] as object),
        clusterIP: '10.1.0.9',
        ports: [{ port: 80, nodePort: 31_000 }],
        sessionAffinity: 'None',
      },
    };
    expect(outcomeOf(look(from, assigned, {}))).toBe('inStep');
    expect(made(service({ clusterIP: 'None' }))['spec']).toEqual({ clusterIP: 'None' });
  });
  it('takes everything but metadata and status', () => {
    const thing: UnstructuredObject = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      spec: { a: 1 },
      rules: [1],
      extra: 'x',
      status: { phase: 'Ready' },
      metadata: { ...original({}).metadata, finalizers: ['x/y'] },
    };
    const { metadata, ...copy } = made(thing);
    expect(copy).toEqual({ apiVersion: 'example.com/v1', kind: 'Thing', spec: { a: 1 }, rules: [1], extra: 'x' });
    expect(metadata).not.toHaveProperty('finalizers');
  });
});
