export type { LeaderElector, Leadership, LeaseState } from './lease.js';
export { type LeaderElectorOptions, createLeaderElector } from './leader-elector.js';
export { LeaseError, type LeaseErrorCode } from './lease-error.js';
export { GROUP_IDENTITY } from './group-lease.js';
export { shardLeaseName } from './shard-leases.js';
export { type ShardMemberOptions, createShardMember } from './shard-member.js';
export { SHARDS, shardOf } from './shard-plan.js';
export { GROUP_LABEL, SHARD_LABEL } from './shard-view.js';
export type { ShardMember, ShardTerm, ShardedWork, ShardsState } from './shards.js';
