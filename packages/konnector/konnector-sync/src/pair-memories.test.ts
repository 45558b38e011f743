import { FakeClock } from '@hawser/clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Action } from './decision.js';
import { type PairMemories, createPairMemories } from './pair-memories.js';

const write = { type: 'patchCopy', correction: false, wrong: [['spec', 'size']] } as unknown as Extract<
  Action,
  { type: 'patchCopy' }
>;
const lastWrite = { wantedHash: 'hash', resourceVersion: '7' };

describe('what is known of a pair', () => {
  let clock: FakeClock;
  let memories: PairMemories;
  beforeEach(() => {
    clock = new FakeClock();
    memories = createPairMemories(clock);
  });
  afterEach(() => {
    memories.close();
    expect(clock.pendingTimers).toBe(0);
  });
  const patched = (): void => {
    memories.remember('one', { lastWrite });
    memories.wrote('one', write);
    memories.settled('one', { kind: 'inStep' });
  };

  it('has the last write in it while the pair is in step, for whoever replaces it, and for ten minutes', async () => {
    patched();
    expect(memories.get('one')).toMatchObject({ lastWrite, corrections: 0 });
    await clock.advance(1_300_000);
    expect(memories.keys()).toEqual([]);
  });

  it('is nothing once a pair that was created, or that is gone, is in step', () => {
    memories.remember('one', { lastWrite });
    memories.settled('one', { kind: 'inStep' });
    expect(memories.keys()).toEqual([]);
    patched();
    memories.settled('one', { kind: 'absent' });
    expect(memories.keys()).toEqual([]);
  });

  it('keeps what else is known when the writes are forgotten', async () => {
    patched();
    memories.remember('one', { statusRefused: 'uid/7' });
    await clock.advance(1_300_000);
    expect(memories.get('one')).toMatchObject({ statusRefused: 'uid/7', patchedAt: undefined, corrections: 0 });
  });
});
