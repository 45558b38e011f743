import type { UnstructuredObject } from '@hawser/client';
import { pairDialect } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Observed, PairSettings } from './observed.js';
import type { ObjectRoute } from './routing.js';

const settings: PairSettings = {
  dialect: pairDialect,
  isolation: 'Identity',
  clusterNamespace: '',
  clusterNamespaceUid: '',
  consumerCluster: 'cluster',
  statusSubresource: true,
};

function object(more: Partial<UnstructuredObject['metadata']> = {}, status?: object): UnstructuredObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: {
      name: 'one',
      namespace: 'team',
      uid: 'uid',
      resourceVersion: '1',
      generation: 2,
      finalizers: ['core.kbind.io/syncer'],
      ...more,
    },
    spec: { size: 'small' },
    ...(status === undefined ? {} : { status }),
  };
}

/** As a konnector has made it of {@link object}. */
function copied(status?: object): UnstructuredObject {
  const seen: Partial<Observed> = { copy: undefined, memory: { copyGone: 'none' } };
  const action = look(seen, undefined).actions.find(({ type }) => type === 'createCopy');
  if (action?.type !== 'createCopy') throw new Error('no copy is made');
  const { metadata } = action.object;
  return {
    ...action.object,
    metadata: { ...metadata, uid: 'copy', resourceVersion: '5', generation: 1 },
    ...(status === undefined ? {} : { status }),
  };
}

function look(changes: Partial<Observed>, route: ObjectRoute | undefined): ReturnType<typeof decide> {
  const key = { namespace: 'team', name: 'one' };
  const observed: Observed = {
    consumerKey: key,
    consumer: object(),
    placement: { kind: 'placed', key },
    copy: undefined,
    copyCacheReady: true,
    deletionProof: undefined,
    memory: {},
    now: 0,
    route,
    ...changes,
  };
  return decide(observed, settings);
}

const staged: ObjectRoute = { kind: 'staged', readyMark: { key: 'hawser.dev/move-ready', value: 'beta' } };
const released: ObjectRoute = { kind: 'released', marks: ['hawser.dev/moved-from'] };
const ready = (status: string, observedGeneration?: number): object => ({
  conditions: [{ type: 'Ready', status, observedGeneration }],
});
const marked = { annotations: { 'hawser.dev/move-ready': 'beta' } };

describe('a copy that is prepared', () => {
  it('is made, and nothing is written on the object', () => {
    expect(look({}, staged).actions.map(({ type }) => type)).toEqual(['createCopy']);
    expect(look({ copy: copied({ phase: 'Running' }) }, staged).actions.map(({ type }) => type)).toEqual([
      'recordCopy',
    ]);
  });

  it.each<[string, object | undefined, object | undefined, boolean]>([
    ['as soon as it is in step where the served one says nothing', undefined, undefined, true],
    ['once it is Ready where the served one was', ready('True'), ready('True'), true],
    ['not before it says so', ready('True'), undefined, false],
    ['not while it says no', undefined, ready('False'), false],
    ['not by what it said of an earlier generation', ready('True'), ready('True', 0), false],
  ])('is ready %s', (_, here, there, expected) => {
    const actions = look({ consumer: object({}, here), copy: copied(there) }, staged).actions;
    expect(actions.map((action) => (action.type === 'recordCopy' ? action.annotations : action.type))).toEqual(
      expected ? [{ 'hawser.dev/move-ready': 'beta' }] : [],
    );
    const before = look({ consumer: object(marked, here), copy: copied(there) }, staged).actions;
    expect(before.map((action) => (action.type === 'recordCopy' ? action.annotations : action.type))).toEqual(
      expected ? [] : [{ 'hawser.dev/move-ready': null }],
    );
  });

  it('is not ready where another object stands in its place', () => {
    const { metadata, ...rest } = copied();
    const foreign = { ...rest, metadata: { ...metadata, annotations: {} } };
    expect(look({ copy: foreign }, staged)).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason: 'ForeignObjectExists' },
    });
  });
});

describe('a copy that was left behind', () => {
  it('is deleted only as that of the object that was looked at', () => {
    const copy = copied();
    expect(look({ copy }, released).actions).toEqual([{ type: 'deleteCopy', copy, leftBy: object() }]);
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['is looked for live before it counts as gone', {}, ['confirmGone']],
    ['is told as gone then', { memory: { copyGone: 'none' } }, ['recordCopy']],
    ['waits for the cache', { copyCacheReady: false }, []],
    [
      'stays where a person wants it',
      { consumer: object({ annotations: { 'core.kbind.io/deletion-policy': 'Orphan' } }), copy: copied() },
      ['recordCopy'],
    ],
    ['stays where it is of another object', { consumer: object({ uid: 'other' }), copy: copied() }, ['recordCopy']],
  ])('%s', (_, changes, expected) => {
    expect(look(changes, released).actions.map(({ type }) => type)).toEqual(expected);
  });
});

it('an object that is deleted waits for its other copy, unless a person lets it go', () => {
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const route: ObjectRoute = { kind: 'served', waitsFor: 'It is being moved.' };
  expect(look({ consumer: object(going), copy: copied() }, route)).toMatchObject({
    actions: [],
    verdict: { kind: 'held', reason: 'ObjectsElsewhere' },
  });
  const released = object({ ...going, annotations: { 'hawser.dev/release': 'it is gone' } });
  expect(look({ consumer: released }, route).actions.map(({ type }) => type)).toEqual(['removeFinalizer']);
});
