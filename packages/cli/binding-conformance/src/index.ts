export { type Check, Deviation, type Level, type Part } from './check.js';
export type { Outcome, Report, Result, RunOptions } from './run.js';
export { type Tally, conforms, junit, tally } from './report.js';
export type { GroundOptions } from './ground.js';
export type { ProviderAddress } from './kube-bind/onboarding.js';
export type { Role, World, WorldOptions } from './kube-bind/world.js';
export { type BindingRunOptions, bindingChecks, runBindingConformance } from './kube-bind/binding-run.js';
export { type AgentRunOptions, agentChecks, runAgentConformance } from './agent/agent-run.js';
export type { AgentWorld, AgentWorldOptions } from './agent/agent-world.js';
