import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '@hawser/apiserver';
import { leases } from './lease-lock.js';
import type { Lease } from './lease-record.js';
import { shardLeaseName } from './shard-leases.js';
import { SHARDS } from './shard-plan.js';
import { type GroupProcess, GroupWorld } from './testing/group-world.js';

describe('processes that share work while something is wrong', () => {
  let world: GroupWorld;
  beforeEach(async () => {
    world = new GroupWorld();
    await world.begin();
  });
  afterEach(async () => {
    await world.end();
  });

  /** The longest time in which not all units had a writer. */
  async function longestIdle(ms: number): Promise<number> {
    let longest = 0;
    let now = 0;
    for (let passed = 0; passed < ms; passed += 500) {
      await world.advance(500);
      now = world.idle.length > 0 ? now + 500 : 0;
      longest = Math.max(longest, now);
    }
    return longest;
  }

  async function write(change: Promise<unknown>): Promise<void> {
    await world.advance(20, 20);
    await change;
  }

  const isOfGroup = ({ path }: ApiRequest): boolean => /leases\/lock(\?|$)/u.test(path);

  it.each<readonly [string, (request: ApiRequest) => boolean]>([
    ['update Leases', ({ method }) => method === 'PUT'],
    ['update the Lease of the group', (request) => request.method === 'PUT' && isOfGroup(request)],
    ['read the Lease of the group', (request) => request.method === 'GET' && isOfGroup(request)],
    ['create Leases', ({ method }) => method === 'POST'],
    ['list Leases', ({ method, path }) => method === 'GET' && /leases\?/u.test(path)],
  ])('give nothing to one that comes and may not %s', async (_what, forbids) => {
    const a = world.member('a').start();
    await world.advance(5000);
    const b = world.member('b');
    b.forbids = forbids;
    b.start();
    expect(await longestIdle(120_000)).toBeLessThanOrEqual(500);
    expect([a.terms, a.count + b.count, world.doubles]).toEqual([1, SHARDS, []]);
  });

  it.each<readonly [string, (request: ApiRequest) => boolean]>([
    ['update Leases', ({ method }) => method === 'PUT'],
    ['read the Lease of the group', (request) => request.method === 'GET' && isOfGroup(request)],
    ['do anything', () => true],
  ])('take over from one that may no longer %s', async (_what, forbids) => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    b.forbids = forbids;
    expect(await longestIdle(120_000)).toBeLessThanOrEqual(5000);
    expect([a.terms, a.count, world.doubles]).toEqual([1, SHARDS, []]);
  });

  it('go on serving whatever comes and is killed at once, again and again', async () => {
    const a = world.member('a').start();
    await world.advance(5000);
    for (let n = 0; n < 6; n++) {
      const crash = world.member(`crash-${n}`).start();
      await world.advance(1000);
      crash.isCut = true;
      crash.clock.freeze();
      expect(await longestIdle(20_000)).toBeLessThanOrEqual(5000);
    }
    expect([a.terms, a.count, world.doubles]).toEqual([1, SHARDS, []]);
  });

  it('each unit is served by one when Leases come back from a backup, or all are deleted', async () => {
    const members = ['a', 'b', 'c'].map((name) => world.member(name).start());
    await world.advance(5000);
    const listing = world.client.list<Lease>(leases, { namespace: 'system' });
    await write(listing);
    const stopped = members[2]?.stop();
    await world.advance(3000);
    await stopped;
    for (const { metadata, spec } of (await listing).items) {
      const found = await world.lease(metadata.name);
      const { name, namespace, labels } = metadata;
      await write(
        found === undefined
          ? world.client.create(leases, {
              apiVersion: 'coordination.k8s.io/v1',
              kind: 'Lease',
              metadata: { name, namespace, labels },
              spec,
            } as Lease)
          : world.client.update(leases, { ...found, spec } as Lease).catch(() => undefined),
      );
    }
    await world.advance(30_000);
    expect([world.idle, world.doubles]).toEqual([[], []]);
    for (const name of world.leaseNames) await write(world.client.delete(leases, { namespace: 'system', name }));
    await world.advance(20_000);
    expect([world.idle, world.doubles]).toEqual([[], []]);
  });

  it.each<readonly [string, (lease: Lease) => Promise<unknown>]>([
    [
      'given to another',
      (lease) => world.client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'b' } } as Lease),
    ],
    ['deleted', ({ metadata: { name, namespace } }) => world.client.delete(leases, { name, namespace })],
  ])('one whose watch hears nothing notices within seconds that its Leases were %s by hand', async (_what, change) => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    a.isDeaf = true;
    for (const shard of shardsOf(a).slice(0, 8)) {
      const lease = await world.lease(shardLeaseName('lock', shard));
      if (lease !== undefined) await write(change(lease));
    }
    await world.advance(8000);
    world.doubles.length = 0;
    await world.advance(60_000);
    expect([world.doubles, world.idle, a.count, b.count]).toEqual([[], [], SHARDS / 2, SHARDS / 2]);
  });

  it('one whose watch hears nothing gives another that comes its share all the same', async () => {
    const [a, b] = [world.member('a').start(), world.member('b').start()];
    await world.advance(5000);
    a.isDeaf = true;
    const c = world.member('c').start();
    await world.advance(20_000);
    expect([a.count, b.count, c.count].sort((x, y) => x - y)).toEqual([10, 11, 11]);
    expect([a.terms, world.doubles]).toEqual([1, []]);
  });

  it('one that may not watch Leases takes its share by what it reads', async () => {
    const a = world.member('a').start();
    await world.advance(5000);
    const b = world.member('b');
    b.forbids = ({ path }) => path.includes('watch=');
    b.start();
    await world.advance(15_000);
    expect([a.count, b.count]).toEqual([SHARDS / 2, SHARDS / 2]);
    const stopped = a.stop();
    await world.advance(20_000);
    await stopped;
    expect([b.count, world.doubles]).toEqual([SHARDS, []]);
  });
});

function shardsOf({ member: { state } }: GroupProcess): readonly number[] {
  return state.kind === 'serving' ? state.shards : [];
}
