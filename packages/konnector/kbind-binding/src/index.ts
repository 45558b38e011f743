export { type BindingController, type BindingOptions, createBindingController } from './binding-controller.js';
export { type Assignment, assign, type Rule, rulesFor, rulesOf } from './routes.js';
export type { BoundSync } from './running-syncs.js';
export { createPullController, type PullOptions } from './pull-controller.js';
export { recordedKinds } from './related/decide-related.js';
export { isWrittenByKonnector, markingOf } from './related/marks.js';
export { protectionOf as relatedProtectionOf } from './related/protection.js';
export { noRules, otherSide, readRules, type RelatedKind, type RuleSet, selects, type Side } from './related/rules.js';
