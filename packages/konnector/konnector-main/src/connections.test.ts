import { FakeClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { describe, expect, it } from '@jest/globals';
import { Connections } from './connections.js';
import { bindingMember } from './observed.js';
import { type FakeSet, fakeSet, secretOf } from './testing/fake-set.js';

const member = bindingMember('a');

function setup() {
  const clock = new FakeClock();
  const sets: FakeSet[] = [];
  /** Tokens that the provider knows, and the one that the Secret has. */
  const valid = new Set(['1', '2']);
  let token = '1';
  const connections = new Connections({
    startSet: (connection) => {
      const set = fakeSet(connection, {
        rotate: (next) => (valid.has(next) ? Promise.resolve() : Promise.reject(new Error('401'))),
      });
      sets.push(set);
      set.stopped.resolve(undefined);
      if (valid.has(connection.hash)) set.prepared.resolve(undefined);
      else set.prepared.reject(new Error('401'));
      return set;
    },
    prepareTimeoutMs: 60_000,
    backoff: { initialMs: 1000, capMs: 8000, jitter: 0 },
    clock,
    random: () => 0,
    logger: silentLogger,
    secretsOf: () => [],
    onChange: () => {
      settle();
    },
  });
  const settle = (): void => {
    connections.settle(new Map([[member, { kind: 'connect', hash: token }]]), new Map([[token, secretOf(token)]]));
  };
  /** The Secret gets another token. */
  const secretHas = async (next: string): Promise<void> => {
    token = next;
    settle();
    await clock.advance(0);
  };
  return { clock, sets, valid, connections, secretHas };
}

describe('a kubeconfig that comes back', () => {
  it('is tried again by a connection of its own while it does not work, and is used as soon as it does', async () => {
    const { clock, sets, valid, connections, secretHas } = setup();
    await secretHas('1');
    await secretHas('2');
    expect([sets.length, connections.of(member)?.connection.hash]).toEqual([1, '2']);
    // What a provider hands out that was restored from a backup: a token that it makes again only then, letter by letter the same.
    valid.delete('1');
    await secretHas('1');
    await clock.advance(5_000);
    expect([connections.of(member)?.connection.hash, connections.get('1')?.failure?.message]).toEqual(['2', '401.']);
    valid.add('1');
    await clock.advance(10_000);
    valid.delete('2');
    expect([
      connections.of(member)?.connection.hash,
      connections.of(member)?.phase,
      connections.state.map(({ id }) => id),
    ]).toEqual(['1', 'running', ['1']]);
    expect(sets[0]?.calls).toEqual(['prepare', 'run a', 'stop', 'stopped']);
    await connections.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on in place where it works', async () => {
    const { sets, connections, secretHas } = setup();
    for (const token of ['1', '2', '1']) await secretHas(token);
    expect([sets.length, connections.of(member)?.connection.hash]).toEqual([1, '1']);
    await connections.stop();
  });
});
