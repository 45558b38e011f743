export { compileMutations, type Mutations } from './mutations.js';
export { repeatableFunctions } from './unrepeatable.js';
