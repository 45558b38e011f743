export type { Engagement, Workspaces } from './engagement.js';
export type { PublishedKinds, PublishedSide } from './published.js';
export type { Naming, Rules } from './rules.js';
export type { ObjectState, Sync, SyncCounts, SyncOptions } from './sync-options.js';
export { createSync } from './sync.js';
export { type CompileOptions, adoptionOf, compileRules } from './compile-rules.js';
export type { Action, Decision, Verdict } from './decision.js';
export { type Pause, pauseOfPublication } from './pause.js';
export type { AdoptionPolicy, Retirement } from './observed.js';
