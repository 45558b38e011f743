export {
  type BindingPolicy, type ConflictPolicy, type DriftPolicy, type OrphanPolicy, type Pause, type PolicyReading, type PolicySources, defaultPolicy, pauseOf, readBindingPolicy,
} from './binding-policy.js';
export { type DeletionBudget, type DeletionBudgetOptions, type HeldDeletions, createDeletionBudget } from './deletion-budget.js';
export { type DeletionProver, type DeletionProverOptions, createDeletionProver } from './deletion-prover.js';
export type { Action, Decision, Verdict } from './decision.js';
export type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
export type { Isolation, NamespaceMap, Placement } from './isolation.js';
export type { DeadLetter } from './dead-letter.js';
export { type NamespaceChange, type ServiceNamespaceObject, type ServiceNamespaces, type ServiceNamespacesOptions, createServiceNamespaces } from './service-namespaces.js';
export { type ObjectState, type Sync, type SyncOptions, createSync } from './sync.js';
export { type WriterShare, type WriterShares, createWriterShares } from './writer-shares.js';
export { decide } from './decide.js';
export { FIELD_MANAGER, SYNCER_FINALIZER, isCarriedAnnotation } from './marks.js';
export { CORRECTION_MEMORY_MS, correctionDelayMs } from './correction-backoff.js';
export { ownedOnlyByUs } from './field-ownership.js';
export { refusedRequest } from './problem-of.js';
export { type Wanted, wantedOf } from './wanted.js';
export { type ActResult, type ActorOptions, createAct } from './act.js';
export type { Copies } from './copies.js';
export { createKeyMapper } from './isolation.js';
export { parseKey, stringKey } from './keys.js';
export { problemOf } from './problem-of.js';
