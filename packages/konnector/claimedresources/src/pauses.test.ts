import type { UnstructuredObject } from '@hawser/client';
import { defaultPolicy } from '@hawser/konnector-sync';
import { describe, expect, it } from '@jest/globals';

import type { Action, Decision } from './decision.js';
import type { Side } from './marks.js';
import { leaveToCoreKbind, obeyPause, pauseOfPair } from './pauses.js';
import { type ClaimingPolicy, claimingPolicy, type Policies } from './policies.js';

const pause = { of: 'binding', reason: 'two waits' } as const;
const policies = new Map([
  ['one', defaultPolicy],
  ['two', { ...defaultPolicy, pause }],
]);
const object = (annotations: Readonly<Record<string, string>> = {}): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'team', uid: 'u', annotations },
});
const by = (
  consumer: readonly string[],
  provider: readonly string[] = [],
): Readonly<Record<Side, readonly string[]>> => ({ consumer, provider });

describe('a claimed pair', () => {
  it.each<[string, Parameters<typeof pauseOfPair>[0], string | undefined]>([
    [
      'is paused by a binding that claims it',
      { cached: { consumer: object() }, claimedBy: by(['one', 'two']) },
      'two waits',
    ],
    [
      'is paused by a binding that claims what the provider has',
      { cached: { provider: object() }, claimedBy: by([], ['two']) },
      'two waits',
    ],
    [
      'is paused by a binding that claims it on either side',
      { cached: { consumer: object(), provider: object() }, claimedBy: by(['one'], ['two']) },
      'two waits',
    ],
    [
      'is not paused by a binding that does not claim it',
      { cached: { consumer: object() }, claimedBy: by(['one']) },
      undefined,
    ],
    [
      'is paused by any binding if nobody claims it any more',
      { cached: { provider: object() }, claimedBy: by([]) },
      'two waits',
    ],
    [
      'is paused by the object of the consumer, with an empty value too',
      { cached: { consumer: object({ 'hawser.dev/paused': '' }) }, claimedBy: by(['one']) },
      '',
    ],
    [
      'is not paused by what the provider writes',
      { cached: { consumer: object(), provider: object({ 'hawser.dev/paused': 'no' }) }, claimedBy: by(['one']) },
      undefined,
    ],
  ])('%s', (_, pair, reason) => {
    expect(pauseOfPair(pair, policies)?.reason).toBe(reason);
  });
});

describe('under a pause', () => {
  const decision = (action: Action): Decision => ({
    actions: [action],
    verdict: { kind: 'progressing', waitingFor: 'write' },
    requeueAfterMs: 5,
  });
  const copy = object();
  it.each<Action>([
    { type: 'requestNamespace', consumerNamespace: 'team', binding: 'two' },
    { type: 'shareNamespace', consumerNamespace: 'team', binding: 'two' },
    { type: 'markOriginal', side: 'consumer', original: copy, mark: { labels: {}, annotations: {} } },
    { type: 'recordRewritten', side: 'provider', copy, hash: 'h' },
    { type: 'createCopy', side: 'provider', copy, from: 'u/1', hash: 'h', binding: 'two', consumerNamespace: 'team' },
    {
      type: 'patchCopy',
      side: 'provider',
      copy,
      wanted: { labels: {}, annotations: {}, fields: {} },
      remove: [],
      annotations: {},
      from: 'u/1',
      hash: 'h',
      correction: false,
      wrong: [],
      partly: false,
    },
    { type: 'deleteCopy', side: 'provider', copy, why: 'originalGone' },
  ])('$type is withheld, and told', (action) => {
    expect(obeyPause(decision(action), pause)).toEqual({
      actions: [],
      withheld: [action],
      verdict: {
        kind: 'held',
        reason: 'Paused',
        actor: 'operator',
        message: expect.stringContaining('on the APIServiceBinding says: "two waits"'),
      },
    });
    expect(obeyPause(decision(action), undefined)).toEqual(decision(action));
  });
  it.each<Action>([
    { type: 'read', sides: ['consumer'] },
    { type: 'proveGone', side: 'consumer' },
  ])('$type goes on', (action) => {
    expect(obeyPause(decision(action), pause)).toEqual(decision(action));
  });
  it('what is in step stays so', () => {
    const inStep: Decision = { actions: [], verdict: { kind: 'inStep', owner: 'consumer' } };
    expect(obeyPause(inStep, pause)).toBe(inStep);
  });
});

describe('a pair claimed by a binding whose API core.kbind.io serves', () => {
  const served: Policies = new Map<string, ClaimingPolicy>([
    ['one', defaultPolicy],
    ['two', { ...defaultPolicy, servedThrough: 'east' }],
  ]);
  const undecided: Decision = {
    actions: [],
    verdict: { kind: 'held', reason: 'ClaimedObjectUndecided', message: 'Delete one.', actor: 'consumer' },
  };
  const creates: Decision = {
    actions: [{ type: 'deleteCopy', side: 'provider', copy: object(), why: 'originalGone' }],
    verdict: { kind: 'progressing', waitingFor: 'write' },
  };
  const held = {
    kind: 'held',
    reason: 'ServedByCoreKbind',
    actor: 'operator',
    message: expect.stringMatching(/APIServiceBinding two: .*Connection east.*hawser migrate two --to v1/u),
  };

  it('is left alone, and says so in place of advice that would mislead', () => {
    for (const claimedBy of [by(['two']), by(['one'], ['two']), by([])]) {
      expect(leaveToCoreKbind(undecided, { claimedBy }, served)).toEqual({ actions: [], withheld: [], verdict: held });
      expect(leaveToCoreKbind(creates, { claimedBy }, served)).toEqual({
        actions: [],
        withheld: creates.actions,
        verdict: held,
      });
    }
  });

  it('is one whose CRDs are all of core.kbind.io', () => {
    const crd = (annotations: Readonly<Record<string, string>>) =>
      ({ metadata: { name: 'dbs.example.com', labels: { 'core.kbind.io/managed': 'true' }, annotations } }) as never;
    const moved = crd({ 'core.kbind.io/connection': 'east' });
    expect(claimingPolicy(defaultPolicy, [moved, moved])).toEqual({ ...defaultPolicy, servedThrough: 'east' });
    for (const crds of [[], [undefined], [moved, undefined], [crd({}), moved], [moved, crd({})]])
      expect(claimingPolicy(defaultPolicy, crds)).toBe(defaultPolicy);
  });

  it('says nothing where nothing is to be done, and holds nothing of other bindings', () => {
    const settled: Decision = { actions: [], verdict: { kind: 'inStep', owner: 'provider' } };
    expect(leaveToCoreKbind(settled, { claimedBy: by(['two']) }, served)).toBe(settled);
    expect(leaveToCoreKbind(creates, { claimedBy: by(['one']) }, served)).toBe(creates);
  });
});
