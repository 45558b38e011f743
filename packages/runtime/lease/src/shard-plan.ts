import { createHash } from 'node:crypto';

/**
 * Number of shards. Fixed: processes with different numbers would disagree on ownership. With it sixteen processes
 * carry two shards each.
 */
export const SHARDS = 32;

/** The shard of a unit of work: the same in every process and every version. */
export function shardOf(unit: string): number {
  return digest(unit) % SHARDS;
}

export interface ShardsObserved {
  /** Living processes, in any order. */
  readonly members: readonly string[];
  /** Shard → living process that holds it. A shard without one is missing. */
  readonly holders: ReadonlyMap<number, string>;
}

/**
 * Assigns shards to processes. Pure, and the same for every process that sees the same, so no coordinator is needed.
 *
 * Shares differ by one shard at most. A shard stays unless its holder has more than its share. Then it moves by
 * rendezvous hashing to a process with less than its share. So a new process takes its share and moves nothing else; a
 * lost process moves what it held.
 */
export function planShards({ members, holders }: ShardsObserved): ReadonlyMap<number, string> {
  const plan = new Map<number, string>();
  const sorted = [...new Set(members)].sort();
  if (sorted.length === 0) return plan;
  const held = new Map<string, number[]>(sorted.map((member) => [member, []]));
  for (const [shard, holder] of holders) held.get(holder)?.push(shard);
  const room = sharesOf(sorted, held);
  for (const [member, shards] of held) {
    const others = sorted.filter(
      (other) => other !== member && (held.get(other)?.length ?? 0) < (room.get(other) ?? 0),
    );
    // First those to which the others have the weakest claim.
    const ranked = shards
      .map((shard) => ({ shard, claim: Math.max(-1, ...others.map((other) => weight(other, shard))) }))
      .sort((a, b) => a.claim - b.claim || a.shard - b.shard);
    for (const { shard } of ranked.slice(0, room.get(member))) plan.set(shard, member);
    room.set(member, Math.max(0, (room.get(member) ?? 0) - shards.length));
  }
  assignRest(plan, sorted, room);
  return plan;
}

/** Share of each process: those with the most today get the odd shards. */
function sharesOf(members: readonly string[], held: ReadonlyMap<string, readonly number[]>): Map<string, number> {
  const base = Math.floor(SHARDS / members.length);
  const odd = SHARDS % members.length;
  const byLoad = [...members].sort((a, b) => (held.get(b)?.length ?? 0) - (held.get(a)?.length ?? 0) || compare(a, b));
  return new Map(byLoad.map((member, index) => [member, base + (index < odd ? 1 : 0)]));
}

/** Places shards by rendezvous hashing, best claim first, among processes with room. */
function assignRest(plan: Map<number, string>, members: readonly string[], room: Map<string, number>): void {
  const claims: { readonly shard: number; readonly member: string; readonly claim: number }[] = [];
  for (let shard = 0; shard < SHARDS; shard++)
    if (!plan.has(shard)) for (const member of members) claims.push({ shard, member, claim: weight(member, shard) });
  claims.sort((a, b) => b.claim - a.claim || a.shard - b.shard || compare(a.member, b.member));
  for (const { shard, member } of claims) {
    const left = room.get(member) ?? 0;
    if (left === 0 || plan.has(shard)) continue;
    plan.set(shard, member);
    room.set(member, left - 1);
  }
}

function weight(member: string, shard: number): number {
  return digest(`${shard}/${member}`);
}

function digest(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
