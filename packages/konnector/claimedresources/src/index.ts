export { type ClaimedResourcesController, type ClaimedResourcesOptions, createClaimedResources } from './claimedresources.js';
export { type Claim, type Claimable, type ClaimProblem, type ReadClaims, type Reference, claimable, readClaims } from './claim.js';
export { CLAIMS_IN_SYNC } from './claims-in-sync.js';
export type { Action, ClaimedObjectProblem, Decision, Verdict } from './decision.js';
export { decide } from './decide.js';
export type { Side } from './marks.js';
export type { Observed, PairMemory, PairSettings, Placement } from './observed.js';
export type { ClaimReason } from './reasons.js';
