import type { UnstructuredObject } from '@hawser/client';
import { pairDialect } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Observed, PairSettings } from './observed.js';
import type { ObjectRoute } from './routing.js';

const note = { key: 'hawser.dev/connection', value: 'alpha' };
const unknown: ObjectRoute = { kind: 'unknown', note };
const byDefault: ObjectRoute = { kind: 'served', note, ifCopied: 'Nothing says where its copy is.' };
const at = (value: string): object => ({ annotations: { [note.key]: value } });
const bare = { finalizers: [] };

function object(more: object = {}): UnstructuredObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: {
      name: 'one',
      namespace: 'team',
      uid: 'uid',
      resourceVersion: '1',
      finalizers: ['core.kbind.io/syncer'],
      ...more,
    },
    spec: { size: 'small' },
  };
}

function look(
  route: ObjectRoute,
  changes: Partial<Observed> = {},
  more: Partial<PairSettings> = {},
): ReturnType<typeof decide> {
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
  return decide(observed, {
    dialect: pairDialect,
    isolation: 'Identity',
    clusterNamespace: '',
    clusterNamespaceUid: '',
    consumerCluster: 'cluster',
    statusSubresource: true,
    ...more,
  });
}

function copied(more: object = {}): UnstructuredObject {
  const action = look({ kind: 'served' }).actions.find(({ type }) => type === 'createCopy');
  if (action?.type !== 'createCopy') throw new Error('no copy is made');
  const { metadata } = action.object;
  return { ...action.object, metadata: { ...metadata, uid: 'copy', resourceVersion: '5', ...more } };
}

const steps = (...of: Parameters<typeof look>): readonly string[] => look(...of).actions.map(({ type }) => type);

describe('an object that several could serve', () => {
  const served: ObjectRoute = { kind: 'served', note };
  it.each<[string, object, readonly string[]]>([
    ['notes who serves it before it gets the finalizer', bare, ['recordRoute', 'createCopy']],
    ['notes so again where another is noted', { ...bare, ...at('beta') }, ['recordRoute', 'createCopy']],
    ['gets the finalizer once that is noted', { ...bare, ...at('alpha') }, ['addFinalizer', 'createCopy']],
  ])('%s', (_, more, expected) => {
    expect(steps(served, { consumer: object(more) })).toEqual(expected);
  });

  it('loses marks of an earlier time before it gets the finalizer', () => {
    const annotations = { [note.key]: note.value, 'hawser.dev/moved-from': 'alpha' };
    const route: ObjectRoute = { ...served, staleMarks: ['hawser.dev/moved-from', 'hawser.dev/move-undo'] };
    expect(look(route, { consumer: object({ ...bare, annotations }) }).actions[0]).toMatchObject({
      type: 'recordRoute',
      annotations: { 'hawser.dev/moved-from': null },
    });
  });
});

describe('an object of which nothing says who serves it', () => {
  it.each<[string, Partial<Observed>]>([
    ['has no copy here', {}],
    ['may have one', { copyCacheReady: false, copy: copied() }],
    ['has had one', { copy: copied(), memory: { copyGone: 'copy' } }],
    ["has another's object in its place", { copy: copied({ annotations: {} }) }],
  ])('is left alone where it %s', (_, changes) => {
    expect(look(unknown, changes)).toEqual({ actions: [], verdict: { kind: 'notSelected' } });
  });

  it('is noted by the one who has its copy, and served by nobody before', () => {
    expect(look(unknown, { copy: copied() }).actions).toEqual([
      { type: 'recordRoute', consumer: object(), annotations: { [note.key]: note.value } },
    ]);
  });

  it.each<[string, object]>([
    ['lives', {}],
    ['is being deleted', { deletionTimestamp: '2026-01-02T00:00:00Z' }],
  ])('gets no copy by default, and keeps its finalizer, while it %s', (_, more) => {
    expect(look(byDefault, { consumer: object(more) })).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason: 'ObjectsElsewhere', message: byDefault.ifCopied },
    });
  });

  it('holds up no binding that ends', () => {
    expect(steps(byDefault, {}, { draining: { except: [] } })).toEqual(
      steps({ kind: 'served' }, {}, { draining: { except: [] } }),
    );
    expect(look(byDefault, {}, { draining: { except: [] } }).verdict.kind).not.toBe('held');
  });

  it('waits for the cache by default', () => {
    expect(look(byDefault, { copyCacheReady: false }).verdict).toEqual({ kind: 'progressing', waitingFor: 'cache' });
  });

  it('is served by default where its copy is, and noted when there is time', () => {
    expect(look(byDefault, { copy: copied() })).toMatchObject({
      actions: [{ type: 'recordCopy', annotations: { [note.key]: note.value } }],
      verdict: { kind: 'inStep' },
    });
  });

  it('goes by default once its copy is known to have gone', () => {
    const going = { deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(steps(byDefault, { consumer: object(going), memory: { copyGone: 'copy' } })).toEqual(['proveDeletion']);
  });
});
