export { agentFunctions } from './agent-functions.js';
export { compileNaming, type Naming } from './naming.js';
