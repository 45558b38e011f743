export { type DeletionProver, type DeletionProverOptions, createDeletionProver } from './deletion-prover.js';
export type { Action, Actor, Decision, Verdict } from './decision.js';
export type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
export type { Isolation, NamespaceMap, Placement } from './isolation.js';
export type { ObjectProblem, Problem } from './problems.js';
export { type NamespaceChange, type ServiceNamespaceObject, type ServiceNamespaces, type ServiceNamespacesOptions, createServiceNamespaces } from './service-namespaces.js';
export { type ObjectState, type Sync, type SyncOptions, createSync } from './sync.js';
export { decide } from './decide.js';
export { SYNCER_FINALIZER } from './marks.js';
