export {
  type ClaimedResourcesController,
  type ClaimedResourcesOptions,
  acceptedClaims,
  createClaimedResources,
} from './claimedresources.js';
export {
  type AskedClaim,
  type Claim,
  type Claimable,
  type ClaimProblem,
  type ReadClaims,
  type Reference,
  claimable,
  claimedKind,
  readClaims,
} from './claim.js';
export { type ClaimDiscovery, askedResources, createClaimDiscovery } from './discovery.js';
export { type ActResult, type ActorOptions, createAct } from './act.js';
export { type ResolvedClaim, claimedBy, concernsClaims, isNamed, namedKey } from './claimed-by.js';
export { CLAIMS_IN_SYNC } from './claims-in-sync.js';
export type { Action, Decision } from './decision.js';
export type { ClaimedObjectProblem, Verdict } from './verdict.js';
export { claimingPolicy, type ClaimPolicy, type Policies } from './policies.js';
export { decide } from './decide.js';
export { ClaimMemories, ClaimRole, type ClaimRoleOptions, type ClaimTypes } from './claim-role.js';
export { type CopyCounts, createCopyCounts } from './copy-counts.js';
export { noMissing } from './missing-originals.js';
export { kubeBindMarks } from './kube-bind-marks.js';
export { klutchMarks } from './klutch-marks.js';
export { readKlutchClaim } from './klutch-claim.js';
export { IDENTITY, type Marks, ORIGIN, type Ownership, type Role, type Side } from './marks.js';
export { type Landing, isMadeFor, landingsOf, opensNamespace } from './landing.js';
export { protectionOf } from './protection.js';
export { type Named, namedBy } from './references.js';
export type { Observed, PairMemory, PairSettings, Placement } from './observed.js';
export type { ClaimReason } from './reasons.js';
export { refusedClaim } from './problem-of.js';
