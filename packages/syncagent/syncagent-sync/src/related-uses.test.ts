import { expect, it } from '@jest/globals';

import type { Resource } from '@hawser/client';

import type { PairRecord } from './pair-record.js';
import { copyId, createRelatedUses, originalId, primaryId } from './related-uses.js';

const [secrets, configMaps] = ['secrets', 'configmaps'].map((resource) => ({ group: '', version: 'v1', resource })) as [
  Resource,
  Resource,
];

const record = (name: string, more: Partial<PairRecord> = {}): PairRecord => ({
  identifier: 'credentials',
  origin: 'kcp',
  cleanup: false,
  kcp: secrets,
  service: secrets,
  kind: 'Secret',
  source: { namespace: 'team-a', name },
  destination: { namespace: 'copies', name },
  ...more,
});
const original = originalId('ws1', record('x'));

it('an original is shared within its workspace, a copy on the service cluster by all', () => {
  const uses = createRelatedUses();
  uses.set('ws1|team-a/one', [record('x')]);
  expect([uses.has(original), uses.has(originalId('ws2', record('x'))), uses.has(copyId('ws2', record('x')))]).toEqual([
    true,
    false,
    true,
  ]);
  const up = record('x', { origin: 'service' });
  uses.set('ws1|team-a/one', [up]);
  expect([
    uses.has(originalId('ws2', up)),
    uses.has(copyId('ws1', up)),
    uses.has(copyId('ws2', up)),
    uses.has(original),
  ]).toEqual([true, true, false, false]);
});

it('has what others have, until the last of them gives it up', () => {
  const uses = createRelatedUses();
  for (const primary of ['ws1|team-a/one', 'ws1|team-a/two']) uses.set(primary, [record('x'), record('y')]);
  expect(uses.has(original, 'ws1|team-a/one')).toBe(true);
  uses.giveUp('ws1|team-a/two', [record('x')]);
  expect([
    uses.has(original, 'ws1|team-a/one'),
    uses.has(original, 'ws1|team-a/two'),
    uses.has(originalId('ws1', record('y')), 'ws1|team-a/one'),
  ]).toEqual([false, true, true]);
  // It was taken back before it was done.
  uses.giveUp('ws1|team-a/two', []);
  expect(uses.has(original, 'ws1|team-a/one')).toBe(true);
  uses.forget('ws1|team-a/two');
  expect(uses.has(original, 'ws1|team-a/one')).toBe(false);
  expect(uses.has(original)).toBe(true);
});

it('what was written down counts until more is known', () => {
  const uses = createRelatedUses();
  uses.expect('ws1|team-a/one', [record('x')]);
  expect(uses.has(original)).toBe(true);
  uses.set('ws1|team-a/one', [record('y')]);
  uses.expect('ws1|team-a/one', [record('x')]);
  expect(uses.has(original)).toBe(false);
  expect(uses.of('ws1|team-a/one')).toEqual([record('y')]);
});

it('a published object is known as the original of a related one', () => {
  expect(primaryId(configMaps, { cluster: 'ws1', namespace: 'team-a', name: 'x' })).toBe(
    originalId('ws1', record('x', { kcp: configMaps })),
  );
  expect(primaryId(configMaps, { cluster: 'ws1', name: 'x' })).toBe(
    originalId('ws1', record('x', { kcp: configMaps, source: { name: 'x' } })),
  );
});

it('counts what could not be looked at as used, and not as had', () => {
  const uses = createRelatedUses();
  uses.set('ws1|team-a/one', [], [record('x')]);
  expect([uses.has(original), uses.of('ws1|team-a/one')]).toEqual([true, []]);
  // As before, where nothing is said of it.
  uses.set('ws1|team-a/one', [record('y')]);
  expect(uses.has(original)).toBe(true);
  uses.set('ws1|team-a/one', [record('y')], []);
  expect(uses.has(original)).toBe(false);
  uses.set('ws1|team-a/one', [], [record('x')]);
  uses.forget('ws1|team-a/one');
  expect(uses.has(original)).toBe(false);
});
