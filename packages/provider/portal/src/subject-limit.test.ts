import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { SubjectLimit } from './subject-limit.js';

const person = (subject: string) => ({ issuer: 'https://issuer', subject, groups: [], name: undefined });

describe('what one person asks for', () => {
  it('is bounded in a minute, for each person alone', async () => {
    const clock = new FakeClock();
    const limit = new SubjectLimit(clock, 2);
    const ask = (subject: string) => () => {
      limit.count(person(subject));
    };
    expect(ask('jane')).not.toThrow();
    expect(ask('jane')).not.toThrow();
    expect(ask('jane')).toThrow('Too many requests of yours.');
    expect(ask('joe')).not.toThrow();
    await clock.advance(60_000);
    expect(ask('jane')).not.toThrow();
  });

  it('is forgotten, of more people than a provider has', () => {
    const limit = new SubjectLimit(new FakeClock(), 1);
    limit.count(person('first'));
    for (let index = 0; index < 10_000; index++) limit.count(person(`other-${index}`));
    expect(() => {
      limit.count(person('first'));
    }).not.toThrow();
    expect(() => {
      limit.count(person('other-9999'));
    }).toThrow();
  });
});
