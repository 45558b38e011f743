import type { UnstructuredObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { Observed } from './observed.js';
import { consumerObject, copyObject, observed, settings, terminating } from './testing/snapshots.js';

describe('a copy that is being deleted on the provider', () => {
  const since = Date.parse(terminating.deletionTimestamp);
  const held = copyObject(undefined, { ...terminating, finalizers: ['example.com/volume', 'example.com/backup'] });
  const proven: Partial<Observed> = {
    deletionProof: { kind: 'byUser', objectGone: true },
    memory: { slippedAway: 'consumer-uid' },
  };
  const cases: readonly [string, UnstructuredObject | undefined, Partial<Observed>, RegExp][] = [
    ['while its object stands', consumerObject(), {}, /It is made anew/u],
    ['as its object is', consumerObject(undefined, terminating), proven, /hawser\.dev\/release: <reason>/u],
    ['after its object', undefined, proven, /gone already/u],
  ];

  it.each(cases)(
    '%s, is waited for without a word for five minutes, and then told with whoever holds it',
    (_, consumer, more, outlook) => {
      const at = (ms: number, copy = held): Decision =>
        decide(observed(consumer, copy, { ...more, now: since + ms }), settings);
      expect(at(299_000)).toEqual({
        actions: [],
        verdict: { kind: 'progressing', waitingFor: 'copyToGo' },
        requeueAfterMs: 1_000,
      });
      const late = at(300_000);
      expect(late).toMatchObject({
        actions: [],
        verdict: {
          kind: 'progressing',
          waitingFor: 'copyToGo',
          overdue: {
            reason: 'CopyTerminating',
            actor: 'provider',
            message: expect.stringContaining('held by finalizers "example.com/volume", "example.com/backup"'),
          },
        },
      });
      expect(JSON.stringify(late)).toMatch(outlook);
      expect(late).not.toHaveProperty('requeueAfterMs');
      // It is said once: time alone changes nothing about it.
      expect(at(3_000_000)).toEqual(late);
      expect(JSON.stringify(at(300_000, copyObject(undefined, terminating)))).toContain('and does not go');
    },
  );

  it("is looked at again in time, however far the provider's clock is ahead", () => {
    expect(decide(observed(consumerObject(), held, { now: since - 40 * 24 * 3_600_000 }), settings)).toMatchObject({
      requeueAfterMs: 300_000,
    });
  });

  it('still gives its status', () => {
    const copy = { ...held, status: { phase: 'Draining' } };
    expect(decide(observed(consumerObject(), copy, { now: since + 300_000 }), settings).actions).toMatchObject([
      { type: 'writeStatus' },
    ]);
  });
});
