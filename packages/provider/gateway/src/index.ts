export { type Gateway, type GatewayOptions, createGateway } from './gateway.js';
export type { ConnectionBounds } from './connections.js';
export type { Shares } from './fairness.js';
