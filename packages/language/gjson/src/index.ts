export { get } from './get.js';
export { PathError } from './path-error.js';
export type { Result } from './result.js';
export { remove, set } from './set.js';
