export { type KonnectorMain, type KonnectorMainOptions, createKonnectorMain } from './konnector-main.js';
export type { ControllerSet, ControllerState, StartSet } from './controller-set.js';
export type { ConnectionState } from './connections.js';
export { type Action, decide } from './decide.js';
export type { ConnectionObserved, ConnectionPhase, Member, Observed, Target } from './observed.js';
