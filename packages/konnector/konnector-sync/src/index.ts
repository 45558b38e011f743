export {
  type BindingPolicy,
  type ConflictPolicy,
  type DriftPolicy,
  type OrphanPolicy,
  type Pause,
  type PolicyReading,
  type PolicySources,
  defaultPolicy,
  pauseOf,
  pausedProblem,
  readBindingPolicy,
} from './binding-policy.js';
export {
  type DeletionProver,
  type DeletionProverOptions,
  createDeletionProver,
  shareReadings,
} from './deletion-prover.js';
export type { Action, Decision, Verdict } from './decision.js';
export type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
export type { Isolation, NamespaceMap, Placement } from './isolation.js';
export { ConnectionCaches } from './connection-caches.js';
export {
  type NamespaceChange,
  type ServiceNamespaceObject,
  type ServiceNamespaces,
  type ServiceNamespacesOptions,
  createServiceNamespaces,
} from './service-namespaces.js';
export { type IdentityNamespacesOptions, createIdentityNamespaces } from './identity-namespaces.js';
export { type ObjectState, type Sync, createSync } from './sync.js';
export type { SyncOptions } from './sync-options.js';
export { type WriterShare, type WriterShares, createWriterShares } from './writer-shares.js';
export { decide } from './decide.js';
export { type ConsumerObjects, SyncRole, type SyncRoleOptions, type SyncTypes } from './sync-role.js';
export { type PairMemories, createPairMemories } from './pair-memories.js';
export { FIELD_MANAGER, REWRITTEN_HASH, WANTED_HASH, asksForRetry } from './marks.js';
export { CORRECTION_MEMORY_MS } from './correction-backoff.js';
export { type Corrections, contestOf, correctedAgain, noCorrections } from './corrections.js';
export { contestInWords } from './decide-contest.js';
export { contentDifference } from './content-difference.js';
export { type ContentPatch, copyPatch } from './copy-patch.js';
export { type Difference, type Path, samePath } from './difference.js';
export { leavingAlone, without } from './left-alone.js';
export { pathsInWords } from './verdicts.js';
export { ownedByKonnector, ownedByOthers, ownedOnlyByUs, writersOf } from './field-ownership.js';
export { lastingProblemOf, unhandledProblem } from './problem-of.js';
export {
  GRANT_ON_CONSUMER,
  GRANT_ON_PROVIDER,
  type RefusalProblem,
  refusalProblem,
  refusedRequest,
  refusingSide,
  rejectedProblem,
  undoneStepProblem,
  unservedProblem,
} from './refused-right.js';
export { unreadableProblem } from './cache-troubles.js';
export { type Wanted, wantedHash, wantedOf } from './wanted.js';
export { type ActResult, type ActorOptions, createAct } from './act.js';
export type { Copies } from './copies.js';
export { type KeyMapper, createKeyMapper } from './isolation.js';
export { OBJECTS_ELSEWHERE, type ObjectRoute, type RouteNote, type Router } from './routing.js';
export { parseKey } from './keys.js';
export type { HeldSchema } from './problem-of.js';
