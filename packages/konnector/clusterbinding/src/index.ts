export { type ClusterBindingOptions, createClusterBinding } from './clusterbinding.js';
export { type Decision, type StatusFields, decide } from './decide.js';
export type { MirrorAction } from './mirror.js';
export type { ClusterBindingReading, ConsumerSecret, Observed, ProviderSecretReading } from './observed.js';
export type { HeartbeatPlan } from './heartbeat.js';
export { requiredInformers } from './sources.js';
