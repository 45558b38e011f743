export { agentFunctions, type AgentFunctionsOptions } from './agent-functions.js';
export {
  compileNaming,
  type LocalName,
  type Naming,
  type NamingCompilation,
  type NamingOptions,
  type Scope,
} from './naming.js';
export { NamingError, type NamingField, type NamingProblem } from './naming-error.js';
