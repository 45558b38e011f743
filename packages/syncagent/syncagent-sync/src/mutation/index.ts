export { type Compilation, Findings } from './compilation.js';
export { MutationError } from './mutation-error.js';
export { compileMutations, type Mutate, type MutationOptions, type Mutations } from './mutations.js';
export { trimSpace } from './trim-space.js';
export { repeatableFunctions } from './unrepeatable.js';
