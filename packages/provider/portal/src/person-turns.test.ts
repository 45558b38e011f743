import { FakeClock } from '@hawser/clock';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PersonTurns } from './person-turns.js';
import type { Person } from './person.js';
import { leaseClient } from './testing/lease-client.js';

const jane: Person = { issuer: 'https://issuer', subject: 'jane', groups: [], name: undefined };
const joe: Person = { ...jane, subject: 'joe' };
const { signal } = new AbortController();

describe('what one person asks for', () => {
  let clock: FakeClock;
  let lab: ReturnType<typeof leaseClient>;
  let done: string[];

  beforeEach(() => {
    clock = new FakeClock();
    lab = leaseClient();
    done = [];
  });

  const replica = (): PersonTurns =>
    new PersonTurns({ client: lab.client, clock, random: () => 0.5, namespace: 'portal' });
  /** Begins, and ends when it is told to. */
  const begin = (turns: PersonTurns, person: Person, what: string): { end(): void; readonly ended: Promise<void> } => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const ended = turns.take(person, signal, async () => {
      done.push(`${what} begins`);
      await promise;
      done.push(`${what} ends`);
    });
    return {
      end: () => {
        resolve(undefined);
      },
      ended,
    };
  };

  it('is done in turn on all replicas, and other people do not wait', async () => {
    const [one, two] = [replica(), replica()];
    const first = begin(one, jane, 'first');
    await clock.advance(10);
    const second = begin(two, jane, 'second');
    const others = begin(two, joe, 'other');
    await clock.advance(5_000);
    expect(done).toEqual(['first begins', 'other begins']);
    first.end();
    await first.ended;
    await clock.advance(2_000);
    expect(done).toEqual(['first begins', 'other begins', 'first ends', 'second begins']);
    second.end();
    others.end();
    await Promise.all([second.ended, others.ended]);
    expect([...lab.leases.keys()]).toEqual([]);
  });

  it('waits for a replica that died no longer than a turn lasts, and says so where that is too long', async () => {
    void begin(replica(), jane, 'died');
    await clock.advance(10);
    const patient = replica().take(jane, signal, () => Promise.resolve());
    const refused = expect(patient).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('in a minute'),
    });
    await clock.advance(32_000);
    await refused;
    const later = replica().take(jane, signal, () => Promise.resolve('done'));
    await clock.advance(32_000);
    expect(await later).toBe('done');
  });

  it('leaves nothing behind of a replica that died', async () => {
    const turns = replica();
    void begin(turns, jane, 'died');
    await clock.advance(10);
    await replica().sweep(signal);
    expect(lab.leases.size).toBe(1);
    await clock.advance(61_000);
    await replica().sweep(signal);
    expect(lab.leases.size).toBe(0);
  });
});
