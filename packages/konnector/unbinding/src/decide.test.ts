import { describe, expect, it } from '@jest/globals';
import { type APIServiceBinding, finalizers, hawserAnnotations } from '@hawser/kube-bind';

import { type Decision, decide, needsObjects } from './decide.js';
import type { ObjectLeft, ResourceLeft } from './observed.js';

interface Given {
  readonly policy?: string;
  readonly release?: string;
  readonly deleting?: boolean;
  readonly finalizer?: boolean;
  readonly conditions?: readonly object[];
}

const binding = ({ policy, release, deleting = false, finalizer = false, conditions = [] }: Given): APIServiceBinding =>
  ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: {
      name: 'databases',
      uid: 'b',
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(finalizer ? { finalizers: [finalizers.unbind] } : {}),
      annotations: {
        ...(policy === undefined ? {} : { [hawserAnnotations.unbindPolicy]: policy }),
        ...(release === undefined ? {} : { [hawserAnnotations.release]: release }),
      },
    },
    status: { conditions },
  }) as unknown as APIServiceBinding;
const object = (name: string, deletingSince?: string): ObjectLeft => ({
  name: `team-a/${name}`,
  key: { namespace: 'team-a', name },
  uid: name,
  deletingSince,
  finalizers: ['kubebind.io/syncer'],
  copy: undefined,
});
const left = (objects: readonly ObjectLeft[], deleting = false): ResourceLeft => ({
  crd: { name: 'databases.example.com', uid: 'crd', deleting },
  resource: { group: 'example.com', version: 'v1', resource: 'databases' },
  objects,
});
const decided = (given: Given, parts: readonly ResourceLeft[] = []): Decision =>
  decide({ binding: binding(given), left: parts });
const typesOf = ({ actions }: Decision): readonly string[] => actions.map(({ type }) => type);

describe('a binding that stands', () => {
  it.each<[string, Given, readonly string[]]>([
    ['without a policy costs nothing', {}, []],
    ['under Orphan costs nothing', { policy: 'Orphan' }, []],
    ['under Delete gets the finalizer', { policy: 'Delete' }, ['addFinalizer']],
    ['under Block gets the finalizer', { policy: 'Block' }, ['addFinalizer']],
    ['under Delete is left alone once it has it', { policy: 'Delete', finalizer: true }, []],
    ['loses it when the policy goes', { finalizer: true }, ['removeFinalizer']],
    ['loses it when the policy becomes Orphan', { policy: 'Orphan', finalizer: true }, ['removeFinalizer']],
    ['is not let go of by an early release', { policy: 'Delete', finalizer: true, release: 'too early' }, []],
  ])('%s', (_, given, expected) => {
    expect(typesOf(decided(given))).toEqual(expected);
    expect(decided(given).condition).toBeUndefined();
    expect(needsObjects(binding(given))).toBe(false);
  });

  it('under a word that nobody knows is blocked, and says so', () => {
    const decision = decided({ policy: 'delete' });
    expect(typesOf(decision)).toEqual(['addFinalizer']);
    expect(decision.condition).toMatchObject({
      type: 'Unbound',
      status: 'False',
      severity: '',
      reason: 'UnknownUnbindPolicy',
      message: expect.stringContaining('"delete"'),
    });
  });
});

describe('a binding that is being deleted', () => {
  const some = [left([object('a', '2026-01-01T00:00:05Z'), object('b'), object('c', '2026-01-01T00:00:01Z')])];

  it('without our finalizer is nobody’s business', () => {
    expect(decided({ policy: 'Delete', deleting: true }, some)).toEqual({ actions: [], condition: undefined });
  });

  it('goes at once when the policy has become Orphan', () => {
    expect(typesOf(decided({ policy: 'Orphan', deleting: true, finalizer: true }, some))).toEqual(['removeFinalizer']);
  });

  it('under Block waits for its objects, counts them and names those that go first', () => {
    const decision = decided({ policy: 'Block', deleting: true, finalizer: true }, some);
    expect(decision).toMatchObject({
      actions: [],
      requeueAfterMs: 2_000,
      condition: { status: 'False', severity: '', reason: 'ObjectsLeft' },
    });
    expect(decision.condition?.message).toMatch(
      /^3 objects are left: 3 databases\.example\.com\. .* First: databases\.example\.com team-a\/c \(deleted 2026-01-01T00:00:01Z, held by kubebind\.io\/syncer\); databases\.example\.com team-a\/a .*; databases\.example\.com team-a\/b\./u,
    );
  });

  it('under Block goes with the last object; the CRD is left to the garbage collector', () => {
    expect(typesOf(decided({ policy: 'Block', deleting: true, finalizer: true }, [left([])]))).toEqual([
      'removeFinalizer',
    ]);
  });

  it('under Block says what to do when the CRD goes as well', () => {
    const decision = decided({ policy: 'Block', deleting: true, finalizer: true }, [left([object('a', 'x')], true)]);
    expect(decision.condition?.message).toContain('databases.example.com is being deleted, which cannot be taken back');
  });

  it('under Delete deletes the objects that nobody has deleted yet, by uid, and no CRD before', () => {
    const decision = decided({ policy: 'Delete', deleting: true, finalizer: true }, some);
    expect(decision.actions).toMatchObject([{ type: 'deleteObjects', objects: [{ uid: 'b' }] }]);
    expect(decision).toMatchObject({ requeueAfterMs: 2_000, condition: { reason: 'DeletingObjects' } });
  });

  it('under Delete deletes the CRD after its objects, and goes after the CRD', () => {
    expect(decided({ policy: 'Delete', deleting: true, finalizer: true }, [left([])]).actions).toMatchObject([
      { type: 'deleteCRD', crd: { uid: 'crd' } },
    ]);
    expect(decided({ policy: 'Delete', deleting: true, finalizer: true }, [left([], true)])).toMatchObject({
      actions: [],
      requeueAfterMs: 2_000,
    });
    expect(typesOf(decided({ policy: 'Delete', deleting: true, finalizer: true }, []))).toEqual(['removeFinalizer']);
  });

  it('under Delete says why the provider cannot be worked with', () => {
    const conditions = [
      { type: 'InformersSynced', status: 'False', reason: 'InformerSyncFailed', message: 'connection refused.' },
    ];
    const decision = decided({ policy: 'Delete', deleting: true, finalizer: true, conditions }, some);
    expect(decision.condition).toMatchObject({
      reason: 'ProviderUnavailable',
      message: expect.stringContaining('InformersSynced is False: connection refused.'),
    });
    expect(decision.condition?.message).toContain('hawser.dev/release=<reason>');
  });

  it.each(['Delete', 'Block'])('under %s is broken open by a release, which is recorded first', (policy) => {
    const decision = decided({ policy, deleting: true, finalizer: true, release: 'provider is gone' }, some);
    expect(decision.actions).toMatchObject([
      { type: 'recordOrphans', reason: 'provider is gone', left: some },
      { type: 'removeFinalizer' },
    ]);
    expect(
      typesOf(decided({ policy, deleting: true, finalizer: true, release: 'provider is gone' }, [left([])])),
    ).toEqual(['removeFinalizer']);
  });

  it('looks less often the more is left', () => {
    const many = [left(Array.from({ length: 10_000 }, (_, at) => object(`o${at}`)))];
    expect(decided({ policy: 'Block', deleting: true, finalizer: true }, many).requeueAfterMs).toBe(10_000);
  });
});
