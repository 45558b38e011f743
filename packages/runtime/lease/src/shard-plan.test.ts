import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SHARDS, planShards, shardOf } from './shard-plan.js';

const all = Array.from({ length: SHARDS }, (_, shard) => shard);
const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{3,12}$/), { minLength: 2, maxLength: 16 });
const loads = (plan: ReadonlyMap<number, string>, members: readonly string[]): readonly number[] =>
  members.map((member) => [...plan.values()].filter((holder) => holder === member).length);

/** What processes hold that came one after the other. */
function grown(members: readonly string[]): ReadonlyMap<number, string> {
  let holders: ReadonlyMap<number, string> = new Map();
  for (let count = 1; count <= members.length; count++)
    holders = planShards({ members: members.slice(0, count), holders });
  return holders;
}

describe('the plan of shards', () => {
  it('places each shard with one living process, and shares that differ by one at most', () => {
    fc.assert(
      fc.property(names, fc.array(fc.nat(20), { minLength: SHARDS, maxLength: SHARDS }), (members, choices) => {
        const holders = new Map(all.map((shard) => [shard, members[choices[shard]!] ?? 'gone'] as const));
        const plan = planShards({ members, holders });
        expect([...plan.keys()].sort((a, b) => a - b)).toEqual(all);
        const shares = loads(plan, members);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is the same in whatever order processes and shards are seen', () => {
    fc.assert(
      fc.property(names, (members) => {
        const holders = grown(members.slice(1));
        const back = { members: [...members].reverse(), holders: new Map([...holders].reverse()) };
        expect([...planShards(back)].sort()).toEqual([...planShards({ members, holders })].sort());
      }),
    );
  });

  it('moves the share of a process that comes, and nothing else', () => {
    fc.assert(
      fc.property(names, (members) => {
        const before = grown(members.slice(1));
        const after = planShards({ members, holders: before });
        const moved = all.filter((shard) => before.get(shard) !== after.get(shard));
        expect(moved.length / SHARDS).toBeLessThanOrEqual(1 / members.length);
        expect(moved.every((shard) => after.get(shard) === members[0])).toBe(true);
      }),
    );
  });

  it('moves what a process held that goes, and nothing else', () => {
    fc.assert(
      fc.property(names, (members) => {
        const before = grown(members);
        const rest = members.slice(1);
        const holders = new Map([...before].filter(([, holder]) => holder !== members[0]));
        const after = planShards({ members: rest, holders });
        for (const [shard, holder] of holders) expect(after.get(shard)).toBe(holder);
      }),
    );
  });

  it('moves no more where only some of the moves have been made yet', () => {
    fc.assert(
      fc.property(names, fc.array(fc.boolean(), { minLength: SHARDS, maxLength: SHARDS }), (members, made) => {
        const before = grown(members.slice(1));
        const plan = planShards({ members, holders: before });
        const halfway = new Map(all.map((shard) => [shard, (made[shard]! ? plan : before).get(shard)!] as const));
        const after = planShards({ members, holders: halfway });
        const moved = all.filter((shard) => before.get(shard) !== after.get(shard));
        expect(moved.every((shard) => after.get(shard) === members[0])).toBe(true);
        expect(moved.length / SHARDS).toBeLessThanOrEqual(1 / members.length + 0.05);
      }),
    );
  });

  it('settles: what is planned stays planned', () => {
    fc.assert(
      fc.property(names, (members) => {
        const plan = planShards({ members, holders: new Map() });
        expect([...planShards({ members, holders: plan })].sort()).toEqual([...plan].sort());
      }),
    );
  });

  it('puts a unit into the same shard for ever', () => {
    expect(['kube-bind/kubeconfig', 'kube-bind/kubeconfig-2', 'a/b'].map(shardOf)).toMatchInlineSnapshot(`
     [
       23,
       0,
       0,
     ]
    `);
    const counts = all.map(
      (shard) => Array.from({ length: 3200 }, (_, n) => shardOf(`ns/secret-${n}`)).filter((s) => s === shard).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });
});
