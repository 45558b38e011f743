export type { ResolvedPair } from './finding/find-objects.js';
export type { PrimaryPair, RelatedReaders } from './primary-pair.js';
export { compileRelated, type RelatedRule } from './related-rules.js';
export { labelMatcher } from './selector/label-selector.js';
