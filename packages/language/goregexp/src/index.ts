export { type GoRegExp, compile, quoteMeta } from './go-regexp.js';
export { InvalidPattern } from './invalid-pattern.js';
