import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { createMemory } from './memory.js';

describe('what the issuer remembers', () => {
  it('ends when its time is over', async () => {
    const clock = new FakeClock();
    const codes = createMemory(clock)('AuthorizationCode');
    await codes.upsert('one', { uid: 'u' }, 60);
    expect([await codes.find('one'), await codes.findByUid('u')]).toEqual([{ uid: 'u' }, { uid: 'u' }]);
    await clock.advance(60_000);
    expect([await codes.find('one'), await codes.findByUid('u')]).toEqual([undefined, undefined]);
  });

  it('keeps a code that was used as used, until its grant is revoked', async () => {
    const codes = createMemory(new FakeClock())('AuthorizationCode');
    await codes.upsert('one', { grantId: 'g' }, 60);
    await codes.consume('one');
    expect(await codes.find('one')).toEqual({ grantId: 'g', consumed: expect.any(Number) });
    await codes.revokeByGrantId('g');
    expect(await codes.find('one')).toBeUndefined();
  });

  it('keeps models apart, and drops the oldest of too many', async () => {
    const memory = createMemory(new FakeClock());
    const [codes, sessions] = [memory('AuthorizationCode'), memory('Session')];
    await sessions.upsert('one', { uid: 'session' }, 60);
    await codes.upsert('one', { uid: 'code' }, 60);
    expect(await sessions.find('one')).toEqual({ uid: 'session' });
    for (let count = 0; count < 999; count++) await codes.upsert(`code-${count}`, {}, 60);
    expect([await sessions.find('one'), await codes.find('one')]).toEqual([undefined, { uid: 'code' }]);
    await codes.destroy('one');
    expect(await codes.find('one')).toBeUndefined();
  });
});
