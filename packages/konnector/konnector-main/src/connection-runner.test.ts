import { FakeClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { ConnectionRunner } from './connection-runner.js';
import { bindingMember } from './observed.js';
import { type FakeSet, type SetOptions, fakeSet, secretOf } from './testing/fake-set.js';

function setup(options: SetOptions = {}) {
  const clock = new FakeClock();
  const sets: FakeSet[] = [];
  const runner = new ConnectionRunner({
    key: '1',
    secret: secretOf('1'),
    connection: (used, bindings, bundles) => ({
      get hash() {
        return used().hash;
      },
      get config() {
        return used().config;
      },
      clusterNamespace: 'x',
      bindings,
      bundles,
      secrets: () => [],
    }),
    startSet: (connection) => {
      const set = fakeSet(connection, options);
      sets.push(set);
      return set;
    },
    prepareTimeoutMs: 60_000,
    backoff: { initialMs: 1000, capMs: 8000, jitter: 0 },
    clock,
    random: () => 0,
    logger: silentLogger,
    onChange: () => undefined,
  });
  const settle = (): Promise<void> => clock.advance(0);
  const running = async (...bindings: string[]): Promise<FakeSet> => {
    await settle();
    sets.at(-1)!.prepared.resolve(undefined);
    for (const binding of bindings) runner.join(bindingMember(binding));
    runner.run();
    await settle();
    return sets.at(-1)!;
  };
  return { clock, sets, runner, settle, running };
}

describe('ConnectionRunner', () => {
  it('prepares at once, and runs only when it is let', async () => {
    const { sets, runner, settle } = setup();
    await settle();
    sets[0]!.prepared.resolve(undefined);
    await settle();
    expect([runner.phase, sets[0]!.calls]).toEqual(['prepared', ['prepare']]);
    runner.join(bindingMember('a'));
    runner.run();
    await settle();
    expect([runner.phase, sets[0]!.calls]).toEqual(['running', ['prepare', 'run a']]);
  });

  roughEdge('R4', 'tries again with growing delays when it cannot prepare, and tells why', async () => {
    const { clock, sets, runner, settle } = setup();
    for (const [tries, waitMs] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
      [4, 8000],
      [5, 8000],
    ] as const) {
      await settle();
      expect(sets).toHaveLength(tries);
      sets.at(-1)!.prepared.reject(new Error('provider: list apiserviceexports: Unauthorized (401)'));
      sets.at(-1)!.stopped.resolve(undefined);
      await settle();
      expect(runner.failure).toEqual({
        reason: 'InformerSyncFailed',
        message: 'provider: list apiserviceexports: Unauthorized (401).',
      });
      expect(runner.phase).toBe('preparing');
      await clock.advance(waitMs - 1);
      expect(sets).toHaveLength(tries);
      await clock.advance(1);
    }
    sets.at(-1)!.prepared.resolve(undefined);
    await settle();
    expect([runner.phase, runner.failure]).toEqual(['prepared', undefined]);
  });

  roughEdge('R7', 'gives up preparing after a time, and says so', async () => {
    const { clock, sets, runner } = setup();
    await clock.advance(0);
    sets[0]!.stopped.resolve(undefined);
    await clock.advance(60_000);
    expect(runner.failure).toEqual({ reason: 'InformerSyncTimeout', message: expect.stringContaining('60 s') });
  });

  it('stops at once when it leads to another provider, and does not work for that one before it is let again', async () => {
    let identity = 'p';
    const { clock, sets, runner, settle, running } = setup({ identity: () => identity });
    const first = await running('a');
    expect([runner.phase, runner.identity]).toEqual(['running', 'p']);
    await clock.advance(120_000);
    expect(sets).toHaveLength(1);
    identity = 'q';
    first.stopped.resolve(undefined);
    await clock.advance(60_000);
    sets.at(-1)!.prepared.resolve(undefined);
    await settle();
    expect(first.calls).toEqual(['prepare', 'run a', 'stop', 'stopped']);
    expect([runner.phase, runner.identity, sets.at(-1)!.calls]).toEqual(['prepared', 'q', ['prepare']]);
    runner.run();
    await settle();
    expect(sets.at(-1)!.calls).toEqual(['prepare', 'run a']);
  });

  it('makes the set anew when it fails, after it has stopped, for the same bindings', async () => {
    const { clock, sets, runner, settle, running } = setup();
    const first = await running('a');
    first.failure.resolve(new Error('servicebinding ended'));
    await settle();
    await clock.advance(10_000);
    expect(sets).toHaveLength(1);
    first.stopped.resolve(undefined);
    await settle();
    expect(runner.failure).toEqual({ reason: 'ControllersFailed', message: 'servicebinding ended.' });
    await clock.advance(1000);
    sets[1]!.prepared.resolve(undefined);
    await settle();
    expect([runner.phase, sets[1]!.calls, runner.failure]).toEqual(['running', ['prepare', 'run a'], undefined]);
  });

  it('drains before it has stopped, and leaves nothing behind', async () => {
    const { clock, runner, settle, running } = setup();
    const set = await running('a');
    runner.leave(bindingMember('a'), { gone: true, stopping: true });
    let gone = false;
    void runner.stop().then(() => {
      gone = true;
    });
    await settle();
    expect([runner.phase, gone, runner.observed.draining, set.calls.at(-1)]).toEqual([
      'stopping',
      false,
      ['binding:a'],
      'stop',
    ]);
    set.stopped.resolve(undefined);
    await settle();
    expect([gone, runner.observed.draining, clock.pendingTimers]).toEqual([true, [], 0]);
  });

  it.each(['preparing', 'prepared', 'waiting'])('stops while %s', async (phase) => {
    const { clock, sets, runner, settle } = setup();
    await settle();
    sets[0]!.stopped.resolve(undefined);
    if (phase === 'prepared') sets[0]!.prepared.resolve(undefined);
    if (phase === 'waiting') sets[0]!.prepared.reject(new Error('no'));
    await settle();
    await runner.stop();
    await clock.advance(60_000);
    expect([sets.length, sets[0]!.calls.at(-1), clock.pendingTimers]).toEqual([1, 'stopped', 0]);
  });

  it('lets one binding go when the set can drain it', async () => {
    const { sets, runner, settle, running } = setup({ drains: true });
    await running('a', 'b');
    runner.leave(bindingMember('a'), { gone: false, stopping: false });
    expect(runner.observed).toMatchObject({ members: ['binding:b'], draining: ['binding:a'] });
    await settle();
    expect([sets.length, sets[0]!.calls.at(-1), runner.observed.draining, runner.phase]).toEqual([
      1,
      'released a',
      [],
      'running',
    ]);
  });

  it('does not disturb the others for a binding that is gone', async () => {
    const { sets, runner, settle, running } = setup();
    await running('a', 'b');
    runner.leave(bindingMember('a'), { gone: true, stopping: false });
    await settle();
    expect([sets.length, sets[0]!.calls.at(-1), runner.observed.draining, runner.phase]).toEqual([
      1,
      'run a,b',
      [],
      'running',
    ]);
  });

  it('makes the set anew to let one binding go when it cannot drain it', async () => {
    const { sets, runner, settle, running } = setup();
    const first = await running('a', 'b');
    runner.leave(bindingMember('a'), { gone: false, stopping: false });
    await settle();
    expect([runner.phase, runner.observed.draining]).toEqual(['preparing', ['binding:a']]);
    first.stopped.resolve(undefined);
    await settle();
    expect(runner.observed.draining).toEqual([]);
    sets[1]!.prepared.resolve(undefined);
    await settle();
    expect([runner.phase, sets[1]!.calls, runner.failure]).toEqual(['running', ['prepare', 'run b'], undefined]);
  });
});

describe('another token', () => {
  it('takes the place of the one that is used, which its members may still name', async () => {
    const tried: string[] = [];
    const { runner, running, settle, sets } = setup({
      rotate: (token) => {
        tried.push(token);
        return Promise.resolve();
      },
    });
    await running('a');
    expect(runner.mayRotateTo(secretOf('2'))).toBe(true);
    runner.rotate(secretOf('2'));
    // Nobody makes a connection for it meanwhile, nor tries it twice.
    expect([runner.accepts('2'), runner.mayRotateTo(secretOf('3'))]).toEqual([true, false]);
    await settle();
    expect([tried, runner.connection.hash, runner.connection.config.credentials]).toEqual([
      ['2'],
      '2',
      { kind: 'token', token: '2' },
    ]);
    expect([runner.key, runner.observed.hash, runner.accepts('1'), runner.phase, sets]).toMatchObject([
      '1',
      '1',
      true,
      'running',
      [{ calls: ['prepare', 'run a'] }],
    ]);
  });

  it('changes nothing where it does not prove itself, and is not tried again', async () => {
    const { runner, running, settle } = setup({ rotate: () => Promise.reject(new Error('401')) });
    await running('a');
    runner.rotate(secretOf('2'));
    await settle();
    expect([runner.accepts('2'), runner.mayRotateTo(secretOf('2')), runner.connection.hash, runner.phase]).toEqual([
      false,
      false,
      '1',
      'running',
    ]);
    expect(runner.mayRotateTo(secretOf('3'))).toBe(true);
  });

  it('that comes back is let go where it does not prove itself any more, or where the one that is used does not work', async () => {
    const ended = new Set<string>();
    const { clock, runner, running, settle } = setup({
      rotate: (token) => (ended.has(token) ? Promise.reject(new Error('401')) : Promise.resolve()),
    });
    const set = await running('a');
    for (const token of ['2', '3']) {
      runner.rotate(secretOf(token));
      await settle();
    }
    ended.add('1');
    runner.rotate(secretOf('1'));
    await settle();
    expect([runner.accepts('1'), runner.accepts('2'), runner.connection.hash, runner.key, runner.phase]).toEqual([
      false,
      true,
      '3',
      '1',
      'running',
    ]);
    set.failure.resolve(new Error('401'));
    set.stopped.resolve(undefined);
    await settle();
    runner.rotate(secretOf('2'));
    expect([runner.accepts('2'), runner.accepts('3'), runner.phase]).toEqual([false, true, 'preparing']);
    await runner.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('is no matter of a connection to another place, of one that does not work yet, or that cannot', async () => {
    const able = setup({ rotate: () => Promise.resolve() });
    await able.settle();
    expect(able.runner.mayRotateTo(secretOf('2'))).toBe(false);
    await able.running('a');
    expect([
      able.runner.mayRotateTo(secretOf('2', 'there')),
      able.runner.mayRotateTo({ ...secretOf('2'), fingerprint: undefined }),
      able.runner.mayRotateTo(secretOf('1')),
    ]).toEqual([false, false, false]);
    const unable = setup();
    await unable.running('a');
    expect(unable.runner.mayRotateTo(secretOf('2'))).toBe(false);
  });

  it('that was replaced is unknown after many more, and the one that is used is not', async () => {
    const { runner, running, settle } = setup({ rotate: () => Promise.resolve() });
    await running('a');
    for (let token = 2; token <= 40; token++) {
      runner.rotate(secretOf(String(token)));
      await settle();
    }
    expect([runner.accepts('1'), runner.accepts('39'), runner.accepts('40'), runner.connection.hash]).toEqual([
      false,
      true,
      true,
      '40',
    ]);
  });
});
