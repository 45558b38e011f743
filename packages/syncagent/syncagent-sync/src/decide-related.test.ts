import type { UnstructuredObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import {
  type CleanUp,
  type ReadResult,
  type Wish,
  decideCleanUp,
  decideEnding,
  decideFormer,
  decideDestination,
  decideRefusedEnd,
  settledOutcome,
  withoutRoom,
} from './decide-related.js';
import type { Action, Verdict } from './decision.js';
import { type PairRecord, RECORDS_BYTES } from './pair-record.js';
import type { PairOutcome } from './related-run.js';
import { copyObject, sourceObject } from './testing/pairs.js';

const secrets = { group: '', version: 'v1', resource: 'secrets' };
const recordOf = (name: string, more: Partial<PairRecord> = {}): PairRecord => ({
  identifier: 'credentials',
  origin: 'kcp',
  cleanup: true,
  kcp: secrets,
  service: secrets,
  source: { namespace: 'team-a', name },
  kind: 'Secret',
  destination: { namespace: 'ws1', name },
  ...more,
});
const refusal = { reason: 'ForbiddenInWorkspace', message: 'It may not be read.', actor: 'consumer' } as const;
const read: ReadResult = { kind: 'read', object: sourceObject() };
const missing: ReadResult = { kind: 'read', object: undefined };
const refused: ReadResult = { kind: 'refused', problem: refusal };

const outcomeSummary = ({ kept, pending, unreachable, error }: PairOutcome): string =>
  [
    kept ? 'kept' : 'dropped',
    ...(pending ? ['pending'] : []),
    ...(unreachable === undefined ? [] : ['unreachable']),
    ...(error === undefined ? [] : ['failed']),
  ].join(', ');
const cleanUpSummary = (cleanUp: CleanUp): string => {
  switch (cleanUp.kind) {
    case 'over':
      return outcomeSummary(cleanUp.outcome);
    case 'readSource':
      return 'read';
    case 'run':
      return [
        cleanUp.forcedDeletion ? 'delete' : 'let go',
        cleanUp.source === undefined ? 'without original' : 'with original',
        ...(cleanUp.isDestinationTaken ? ['place taken'] : []),
        ...(cleanUp.unread === undefined ? [] : ['left if it goes']),
      ].join(', ');
  }
};

describe('a related object that its primary refers to no more', () => {
  const wish: Wish = { deleting: false };

  it.each<[string, Partial<PairRecord>, Partial<Wish>, ReadResult | undefined, boolean, string]>([
    ['of kcp is read first', {}, {}, undefined, false, 'read'],
    [
      'of the service cluster stays in the workspace without cleanup',
      { origin: 'service', cleanup: false },
      {},
      undefined,
      false,
      'dropped',
    ],
    [
      'of the service cluster stays where all are let go',
      { origin: 'service' },
      { letGo: true },
      undefined,
      false,
      'dropped',
    ],
    ['of the service cluster is read where it is cleaned up', { origin: 'service' }, {}, undefined, false, 'read'],
    ['waits for a cache', {}, {}, { kind: 'notReady' }, false, 'kept, pending'],
    [
      'is tried again after a failure that passes',
      {},
      {},
      { kind: 'failed', error: new Error('broken') },
      false,
      'kept, failed',
    ],
    ['that may not be read is waited for', {}, {}, refused, false, 'kept, unreachable'],
    [
      'that may not be read goes when that is overdue',
      {},
      { overdue: true },
      refused,
      false,
      'delete, without original, left if it goes',
    ],
    ['that may not be read stays where copies stay', {}, { overdue: true, letGo: true }, refused, false, 'kept'],
    [
      'of the service cluster that may not be read goes',
      { origin: 'service' },
      {},
      refused,
      false,
      'delete, without original',
    ],
    ['goes', {}, {}, read, false, 'delete, with original'],
    ['that is gone takes its copy with it', {}, {}, missing, false, 'delete, without original'],
    ['that is gone is forgotten where copies stay', {}, { letGo: true }, missing, false, 'dropped'],
    ['is let go where copies stay', {}, { letGo: true }, read, false, 'let go, with original'],
    ['whose place another one has keeps off it', {}, {}, read, true, 'delete, with original, place taken'],
    [
      'whose place another one has is not told when overdue',
      {},
      { overdue: true },
      refused,
      true,
      'delete, without original, place taken',
    ],
  ])('%s', (_, record, how, result, isDestinationReferenced, expected) => {
    expect(
      cleanUpSummary(decideCleanUp(recordOf('one', record), { ...wish, ...how }, result, isDestinationReferenced)),
    ).toBe(expected);
  });
});

describe('a related object that its primary refers to', () => {
  it.each<['kcp' | 'service', boolean, boolean, boolean, string]>([
    ['kcp', false, false, false, 'sync'],
    ['kcp', false, true, false, 'delete'],
    ['kcp', false, true, true, 'sync'],
    ['service', true, true, false, 'delete'],
    ['service', true, true, true, 'leave'],
    ['service', false, true, false, 'leave'],
    ['service', false, false, false, 'sync'],
  ])('of %s, cleanup %s, deleting %s, let go %s: %s', (origin, cleanup, deleting, letGo, expected) => {
    const { forcedDeletion, stays } = decideEnding({ origin, cleanup }, { deleting, letGo });
    expect(stays ? 'leave' : forcedDeletion ? 'delete' : 'sync').toBe(expected);
  });
});

describe('a place on the other side', () => {
  const known = recordOf('one');
  const other = (source: string, uid?: string): { source: string; uid: string | undefined } => ({ source, uid });

  it.each<
    [string, PairRecord | undefined, ReturnType<typeof other>[], string | undefined, string | undefined, boolean]
  >([
    ['is free where nobody has it', undefined, [], undefined, undefined, false],
    [
      'is its own where it has made what is there',
      recordOf('one', { uid: 'u1' }),
      [other('a', 'u1')],
      'u1',
      'u1',
      false,
    ],
    ['is its own where another primary with the same source has', undefined, [other('m', 'u1')], 'u1', 'u1', false],
    ["is another's that has made what is there", known, [other('z', 'u1')], 'u1', undefined, true],
    ["is another's that has made something", known, [other('z', 'u2')], undefined, undefined, true],
    [
      'is its own where it alone has made something',
      recordOf('one', { uid: 'u1' }),
      [other('a')],
      undefined,
      'u1',
      false,
    ],
    ['is that of whoever had it', undefined, [other('z')], undefined, undefined, true],
    ['is that of the first by name, of two that had it', known, [other('z')], undefined, undefined, false],
    ['is that of the first by name, which is another', known, [other('a')], undefined, undefined, true],
  ])('%s', (_, record, holders, uid, made, taken) => {
    expect(decideDestination({ source: 'm', known: record, holders, uid })).toEqual({ made, taken });
  });
});

it('finds no room for records that are new and too many', () => {
  const long = 'x'.repeat(RECORDS_BYTES / 2);
  const [first, second, third] = ['1', '2', '3'].map((name) => recordOf(name, { identifier: `${name}${long}` })) as [
    PairRecord,
    PairRecord,
    PairRecord,
  ];
  const small = recordOf('small');
  expect([...withoutRoom([first, second, small], [])]).toEqual([second]);
  expect([...withoutRoom([first, second], [first, second])]).toEqual([]);
  expect([...withoutRoom([third, small], [first, second])]).toEqual([third, small]);
});

describe('what a Go agent synced', () => {
  const secret = (password: string, more: object = {}): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one' },
    data: { password },
    ...more,
  });
  const snapshot = secret('b25l');
  const same = secret('b25l', { immutable: true });
  const edited = secret('dHdv');

  it.each([
    ['is ours where the copy says what was pushed', { kind: 'known', snapshot }, same, false, 'ours'],
    ['is left where the copy says something else', { kind: 'known', snapshot }, edited, false, 'leave'],
    ['is left where there is no copy', { kind: 'known', snapshot }, undefined, false, 'leave'],
    ['is no matter where it is referred to now', { kind: 'known', snapshot }, edited, true, 'nothing'],
    ['is no matter where nothing is remembered', { kind: 'none' }, same, false, 'nothing'],
    ['is no matter where it cannot be read', { kind: 'broken' }, same, false, 'nothing'],
  ] as const)('%s', (_, last, copy, isReferredTo, expected) => {
    expect(decideFormer(last, copy, isReferredTo)).toBe(expected);
  });
});

describe('a related object whose end is refused in the workspace', () => {
  const release: Action = { type: 'releaseFinalizer', source: sourceObject() };

  it.each<[string, Wish, Action, typeof refusal | undefined, string | undefined]>([
    ['is waited for', { deleting: true }, release, refusal, 'wait'],
    ['is left when that is overdue', { deleting: true, overdue: true }, release, refusal, 'leave'],
    [
      'is waited for where its copy may not be read',
      { deleting: true },
      { type: 'confirmGone', key: undefined },
      refusal,
      'wait',
    ],
    ['is nothing of the kind while the primary stays', { deleting: false }, release, refusal, undefined],
    ['is nothing of the kind without a refusal', { deleting: true }, release, undefined, undefined],
    ['is nothing of the kind with another step', { deleting: true }, { type: 'forget' }, refusal, undefined],
  ])('%s', (_, wish, action, problem, expected) => {
    expect(decideRefusedEnd(wish, action, problem)?.kind).toBe(expected);
  });
});

describe('a pair that nothing can be done about', () => {
  it.each<[Verdict, boolean, boolean, string]>([
    [{ kind: 'absent' }, true, false, 'dropped'],
    [{ kind: 'notSelected' }, true, false, 'dropped'],
    [{ kind: 'inStep' }, true, true, 'kept'],
    [{ kind: 'inStep' }, false, true, 'dropped'],
    [{ kind: 'progressing', waitingFor: 'cache' }, false, true, 'kept, pending'],
    [{ kind: 'progressing', waitingFor: 'cache' }, false, false, 'dropped, pending'],
    [{ kind: 'orphan', message: 'It is alone.' }, false, false, 'kept'],
    [{ kind: 'held', reason: 'Occupied', message: 'It is there.', actor: 'provider' }, false, true, 'dropped'],
  ])('%j: remembered %s, there %s: %s', (verdict, remembered, there, expected) => {
    const destination = there ? copyObject() : undefined;
    expect(outcomeSummary(settledOutcome({ actions: [], verdict }, { remembered, destination }))).toBe(expected);
  });
});
