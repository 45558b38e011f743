export { type Kcp, type KcpOptions, type WorkspaceOptions, createKcp, kcpAdministrator } from './create-kcp.js';
export type { ShardEndpoint } from './controllers/slices.js';
export type { LogicalCluster } from './logical-cluster.js';
export type { Move, MoveOptions } from './move.js';
export { type RunningKcp, type StartKcpOptions, startKcp } from './start-kcp.js';
