import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GROUP_IDENTITY } from './group-lease.js';
import { holderOf } from './lease-record.js';
import { shardLeaseName } from './shard-leases.js';
import { SHARDS, shardOf } from './shard-plan.js';
import { leases } from './lease-lock.js';
import { GroupWorld, units } from './testing/group-world.js';

describe('processes that share work', () => {
  let world: GroupWorld;
  beforeEach(async () => {
    world = new GroupWorld();
    await world.begin();
  });
  afterEach(async () => {
    await world.end();
    expect(world.doubles).toEqual([]);
  });

  it('one alone serves everything, and says so in the Leases', async () => {
    const a = world.member('a').start();
    await world.advance(2000);
    expect(a.count).toBe(SHARDS);
    expect(a.member.state).toMatchObject({ kind: 'serving', members: 1, unowned: 0 });
    expect(holderOf((await world.lease('lock'))!)).toBe(GROUP_IDENTITY);
    expect(holderOf((await world.lease(shardLeaseName('lock', 7)))!)).toBe('a');
    await world.advance(60_000);
    expect([a.count, a.terms]).toEqual([SHARDS, 1]);
    expect(a.member.staleness).toBeLessThan(5000);
  });

  it('gives one that comes its share once nothing of it is in flight any more', async () => {
    const a = world.member('a').start();
    a.drainMs = 3000;
    await world.advance(2000);
    const b = world.member('b').start();
    await world.advance(2500);
    expect(b.count).toBe(0);
    await world.advance(2000);
    expect([a.count, b.count, world.idle]).toEqual([SHARDS / 2, SHARDS / 2, []]);
    const c = world.member('c').start();
    await world.advance(6000);
    expect([a.count, b.count, c.count].sort()).toEqual([10, 11, 11]);
    await world.advance(30_000);
    expect([a.terms, b.terms, c.terms, world.idle]).toEqual([1, 1, 1, []]);
  });

  it('takes over within a second what one leaves that is stopped', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    expect(a.count).toBe(SHARDS / 2);
    const stopped = a.stop();
    await world.advance(1000);
    await stopped;
    expect([b.count, world.idle]).toEqual([SHARDS, []]);
    expect(b.terms).toBe(1);
    // It has cleaned up after itself, and the others still have the Lease of the group.
    expect(world.leaseNames).toHaveLength(SHARDS + 2);
    expect(holderOf((await world.lease('lock'))!)).toBe(GROUP_IDENTITY);
  });

  it('ends within seconds although its API server does not answer', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    a.isMute = true;
    const stopped = a.stop().then(() => 'stopped');
    await world.advance(5000);
    expect(await Promise.race([stopped, Promise.resolve('still there')])).toBe('stopped');
    await world.advance(12_000);
    expect(b.count).toBe(SHARDS);
  });

  it('takes over within the duration of the Lease what one leaves that is killed, and removes its Lease', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => world.member(name).start());
    await world.advance(6000);
    a!.clock.freeze();
    await world.advance(9000);
    expect([b!.count, c!.count].sort()).not.toContain(SHARDS / 2);
    await world.advance(6500);
    expect([b!.count, c!.count, world.idle]).toEqual([SHARDS / 2, SHARDS / 2, []]);
    await world.advance(3000);
    expect(world.leaseNames).toHaveLength(SHARDS + 3);
  });

  it('has one that was stopped for a while refuse its first write, and take part again', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    const unit = units.find((one) => a.writes(one))!;
    a.clock.freeze();
    await world.advance(20_000);
    expect(b.count).toBe(SHARDS);
    a.clock.thaw();
    expect(a.writes(unit)).toBe(false);
    await world.advance(8000);
    expect([a.count, b.count, a.terms]).toEqual([SHARDS / 2, SHARDS / 2, 2]);
  });

  it('has one that is cut off end before another begins', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    a.isCut = true;
    await world.advance(11_000);
    expect(a.count).toBe(0);
    expect(b.count).toBe(SHARDS / 2);
    await world.advance(6000);
    expect(b.count).toBe(SHARDS);
    a.mend();
    await world.advance(10_000);
    expect([a.count, b.count]).toEqual([SHARDS / 2, SHARDS / 2]);
  });

  it('takes nothing from one that lives, although its own watch hears nothing of that', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    b.isDeaf = true;
    await world.advance(40_000);
    expect([a.count, a.terms]).toEqual([SHARDS / 2, 1]);
  });

  it('ends its term when somebody takes a Lease away by hand', async () => {
    const a = world.member('a').start();
    await world.advance(3000);
    const gone = world.client.delete(leases, { namespace: 'system', name: shardLeaseName('lock', 3) });
    await world.advance(500);
    await gone;
    expect(a.count).toBe(0);
    await world.advance(5000);
    expect([a.count, a.terms]).toEqual([SHARDS, 2]);
  });

  it('waits for a process that works alone, and lets it work once the last has gone', async () => {
    const leaders: string[] = [];
    const alone = world.member('alone').alone(() => leaders.push('alone leads'));
    await world.advance(1000);
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(30_000);
    expect([leaders, a.count, b.count]).toEqual([['alone leads'], 0, 0]);
    expect(a.member.state).toEqual({ kind: 'joining', waitsFor: 'alone' });
    const stopped = alone.stop();
    await world.advance(8000);
    await stopped;
    expect([a.count, b.count]).toEqual([SHARDS / 2, SHARDS / 2]);

    const next = world.member('next').alone(() => leaders.push('next leads'));
    await world.advance(60_000);
    expect(leaders).toEqual(['alone leads']);
    const left = a.stop();
    await world.advance(20_000);
    await left;
    expect(leaders).toEqual(['alone leads']);
    const gone = b.stop();
    await world.advance(3000);
    await gone;
    expect(leaders).toEqual(['alone leads', 'next leads']);
    const ended = next.stop();
    await world.advance(1000);
    await ended;
  });

  it('has each unit served by one whatever number of processes there is', async () => {
    for (let count = 1; count <= 5; count++) {
      world.member(`m${count}`).start();
      await world.advance(4000);
      expect(world.idle).toEqual([]);
    }
    const [first] = world.members;
    const stopped = first!.stop();
    await world.advance(2000);
    await stopped;
    expect(world.idle).toEqual([]);
    expect(shardOf(units[31]!)).toBe(31);
  });
});
