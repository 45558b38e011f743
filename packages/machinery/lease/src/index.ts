export type { LeaderElector, Leadership, LeaseState } from './lease.js';
