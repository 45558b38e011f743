export type { ResolvedPair } from './finding/find-objects.js';
export type { PrimaryPair, RelatedReaders, Selected } from './primary-pair.js';
export { RelatedError, type RelatedErrorCode } from './related-error.js';
export { compileRelated, type RelatedOptions, type RelatedRule } from './related-rules.js';
export { type Labels, labelMatcher } from './selector/label-selector.js';
export { ownersOf, type PrimaryKind } from './watch/owners-of.js';
export type { RelatedWatch } from './watch/related-watch.js';
