export type { LeaderElector, Leadership, LeaseState } from './lease.js';
export { type LeaderElectorOptions, createLeaderElector } from './leader-elector.js';
export { LeaseError, type LeaseErrorCode } from './lease-error.js';
