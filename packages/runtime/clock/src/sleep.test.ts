import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock.js';
import { sleep } from './sleep.js';

describe('sleep', () => {
  it('ends when its time has come, and lets go of the signal', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    let awake = false;
    const sleeping = sleep(clock, 100, controller.signal).then(() => {
      awake = true;
    });
    await clock.advance(99);
    expect(awake).toBe(false);
    await clock.advance(1);
    await sleeping;
    controller.abort();
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with the reason as soon as the signal aborts, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 100, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not start under an aborted signal; a reason that is no error becomes the cause of one', async () => {
    const clock = new FakeClock();
    await expect(sleep(clock, 100, AbortSignal.abort('because'))).rejects.toMatchObject({
      message: 'aborted',
      cause: 'because',
    });
    expect(clock.pendingTimers).toBe(0);
  });
});
