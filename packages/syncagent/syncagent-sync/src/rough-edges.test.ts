import { FakeClock } from '@hawser/clock';
import { createFailures } from '@hawser/controller';
import { expect } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';

import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { createDependencies } from './dependencies.js';
import type { PairRecord } from './pair-record.js';
import { type PrimaryOptions, primarySettings } from './primary.js';
import { planRelated } from './related-pairs.js';
import { selectionOf } from './selection.js';
import { type SnapshotOwner, createStateDraft } from './state-draft.js';
import { stepText } from './step-text.js';
import { copyObject, identity, observed, copyKey, settings, sourceObject } from './testing/pairs.js';

const types = ({ actions }: Decision): readonly string[] => actions.map(({ type }) => type);
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const secrets = { group: '', version: 'v1', resource: 'secrets' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

roughEdge('RE-4', 'what was pushed of two objects of one name is remembered apart', () => {
  const primary: SnapshotOwner = {
    cluster: 'ws1',
    apiVersion: 'kcp.example.com/v1',
    kind: 'ManagedDatabase',
    namespace: 'team-a',
    name: 'one',
    identifier: undefined,
  };
  const secret: SnapshotOwner = {
    cluster: 'ws1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'team-a',
    name: 'one',
    identifier: 'credentials',
  };
  const [pushed, other] = [
    sourceObject(),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one', namespace: 'team-a' }, data: {} },
  ];
  const draft = createStateDraft(
    { ...identity, apiVersion: primary.apiVersion, kind: primary.kind },
    'obj-state',
    undefined,
  );
  draft.store(primary, pushed);
  draft.store(secret, other);
  const again = createStateDraft(draft.subject, 'obj-state', draft.changed());
  expect([again.last(primary), again.last(secret)]).toMatchObject([
    { kind: 'known', snapshot: { kind: 'ManagedDatabase' } },
    { kind: 'known', snapshot: { kind: 'Secret' } },
  ]);
});

roughEdge('RE-5', 'what is remembered of an object goes with it', () => {
  const decision = decide(
    observed(sourceObject({ metadata: deleting }), undefined, sourceObject(), { memory: { gone: 'copy-uid' } }),
    settings,
  );
  expect(types(decision)).toEqual(['forget', 'releaseFinalizer']);
});

roughEdge('RE-6', 'the copy of another object is not taken over because it has the same name', () => {
  const occupant = copyObject({ metadata: { labels: { 'syncagent.kcp.io/remote-object-name-hash': 'of-another' } } });
  const decision = decide(observed(sourceObject(), undefined, null, { memory: { occupant } }), settings);
  expect(decision).toMatchObject({ actions: [], verdict: { kind: 'held', reason: 'NameTaken' } });
});

roughEdge(
  'RE-6',
  'what an adopted object never got is not remembered as if it had',
  () => {
    const occupant = {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { ...copyKey, uid: 'theirs' },
      spec: { size: 'of somebody else' },
    };
    expect(types(decide(observed(sourceObject(), undefined, null, { memory: { occupant } }), settings))).toEqual([
      'adopt',
    ]);
  },
  'adoption-remembered-as-written',
);

roughEdge(
  'RE-6',
  'what stands in the place of a related object gets no marks',
  () => {
    const occupant = { apiVersion: 'v1', kind: 'Secret', metadata: { ...copyKey, uid: 'theirs' }, data: {} };
    expect(
      types(
        decide(observed(sourceObject(), undefined, null, { memory: { occupant } }), { ...settings, marks: undefined }),
      ),
    ).toEqual([]);
  },
  'adoption-marks-related',
);

roughEdge('RE-7', 'an object that the filter selects no more can still be deleted', () => {
  const filter = {
    resource: (labels: Readonly<Record<string, string>>) => labels['sync'] === 'yes',
    namespace: () => false,
  };
  expect(selectionOf(sourceObject({ metadata: deleting }), 'ws1', filter, undefined)).toBe('selected');
});

roughEdge('RE-8', 'the finalizer of an object that two primaries refer to stays until the last of them goes', () => {
  const decision = decide(
    observed(sourceObject(), undefined, sourceObject(), { memory: { gone: 'none' }, isNeededByOthers: () => true }),
    { ...settings, marks: undefined, forcedDeletion: true },
  );
  expect(types(decision)).toEqual(['forget']);
});

roughEdge('RE-9', 'what a primary refers to no more is cleaned up', () => {
  const record: PairRecord = {
    identifier: 'credentials',
    origin: 'kcp',
    cleanup: false,
    kcp: secrets,
    service: secrets,
    kind: 'Secret',
    source: { namespace: 'team-a', name: 'old' },
    destination: { namespace: 'ws1', name: 'old' },
  };
  expect(planRelated([], new Set(), [record]).stale).toEqual([record]);
});

roughEdge('RE-11', 'a status is carried back only where both sides have the subresource', () => {
  const side = {
    resource: { group: 'example.com', version: 'v1', resource: 'databases' },
    kind: 'Database',
    scope: 'Namespaced',
    subresources: [],
  } as const;
  const options = {
    kinds: { service: { ...side, subresources: ['status'] }, kcp: side },
    rules: { mutations: undefined },
    agentName: 'agent-1',
    adoption: 'adopt',
  } as unknown as PrimaryOptions;
  expect(primarySettings(options, identity, undefined).status).toBe('none');
});

roughEdge('RE-18', 'the copy of another agent is neither written nor deleted', () => {
  const copy = copyObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } } });
  for (const source of [sourceObject({ spec: { size: 'large' } }), sourceObject({ metadata: deleting })]) {
    expect(decide(observed(source, copy, sourceObject()), settings)).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason: 'OtherAgent' },
    });
  }
});

roughEdge('RE-19', 'a change of a related object finds its primary without any watch rule', () => {
  const dependencies = createDependencies();
  const looked = { side: 'kcp', cluster: 'ws1', resource: secrets, namespace: 'team-a' } as const;
  dependencies.set('ws1|team-a/one', [{ ...looked, name: 'creds' }]);
  dependencies.set('ws1|team-a/two', [looked, { ...looked, resource: configMaps, name: 'creds' }]);
  expect([...dependencies.affectedBy({ ...looked, name: 'creds' })].sort()).toEqual([
    'ws1|team-a/one',
    'ws1|team-a/two',
  ]);
});

roughEdge('RE-29', 'nobody in a workspace says whose copy an object is', () => {
  const source = sourceObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': 'spoofed' } } });
  expect(decide(observed(source, copyObject(), sourceObject()), settings).actions).toEqual([]);
});

roughEdge('RE-41', 'a step that is refused for good is tried ever less often, whatever happens to the object', () => {
  const clock = new FakeClock();
  const failures = createFailures(clock, stepText);
  const step: Action = {
    type: 'patch',
    destination: copyObject(),
    patch: { spec: { size: 'immutable' } },
    correction: false,
  };
  for (let times = 0; times < 5; times++)
    failures.failed('ws1|team-a/one', step, {
      atOnce: { reason: 'Refused', message: 'it is immutable', actor: 'consumer' },
      later: undefined,
    });
  expect(failures.waits('ws1|team-a/one', step)).toBeGreaterThanOrEqual(4_000);
});
