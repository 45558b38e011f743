export type { BindingWish, Consent, Offer } from './wish.js';
export { claimText } from './claim-text.js';
export { offeredInKlutch } from './klutch-offer.js';
export { claimsUndecided, noWayInToKlutch } from './klutch-refusals.js';
export { type Refusal, type RefusalReason, refusalText } from './refusal.js';
export { type Sides, observe } from './observe.js';
export type { KubeconfigSecret, Observed } from './observed.js';
export type { BindStep } from './bind-step.js';
export { type BindPlan, planBinding, planConnection, stepsOnProvider } from './plan.js';
export { stepText } from './step-text.js';
export { type Manifests, manifestsOf } from './manifests.js';
export { type Awaited, type BindResult, type CarryOutOptions, bind, coreBindingResource, untilReady } from './bind.js';
export {
  type UnbindPlan,
  type UnbindSides,
  type UnbindStep,
  type UnbindWish,
  planUnbinding,
} from './plan-unbinding.js';
export { type UnbindOptions, type UnbindResult, unbind, unbindStepText } from './unbind.js';
export {
  type OnboardingWish,
  type OnboardOptions,
  type OnboardResult,
  handedOut,
  onboard,
  onboardingRequest,
} from './onboard.js';
export { type CoreKbindObserved, type CoreKbindWish, type SecretSeen, observeCoreKbind } from './core-kbind/observe.js';
export {
  type MovePlan,
  type MoveResult,
  type MoveStep,
  type MoveWish,
  moveObject,
  moveStepText,
  planMove,
} from './core-kbind/move.js';
export { planCoreKbind } from './core-kbind/plan.js';
export {
  type CoreKbindUnbindPlan,
  type CoreKbindUnbindStep,
  type CoreKbindUnbindWish,
  coreKbindUnbindStepText,
  findCoreKbindBinding,
  planCoreKbindUnbinding,
  unbindCoreKbind,
} from './core-kbind/unbind.js';
export {
  type CoreKbindStanding,
  type CoreKbindUninstallWish,
  planCoreKbindUninstall,
  readCoreKbindStanding,
} from './core-kbind/uninstall.js';
export {
  type MigrationObserved,
  type MigrationSides,
  type MigrationWish,
  observeMigration,
} from './migrate/observe.js';
export { type MigrateOptions, type MigrateResult, migrate } from './migrate/migrate.js';
export { type Generation } from './migrate/pair-swap.js';
export { type MigrationPlan, type MigrationStep, migrationStepText, planMigration } from './migrate/plan.js';
export { isBeating } from './migrate/heartbeat.js';
