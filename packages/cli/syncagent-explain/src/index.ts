export {
  type Rehearsal,
  type RehearsalOptions,
  type RehearsedWrite,
  type Purpose,
  createRehearsal,
} from './rehearsal.js';
export { type RehearsedAgent, explainAgent } from './explain.js';
export type { AgentReport, ObjectReport, PublicationReport } from './report.js';
export { isNamed, isPublicationWord } from './named.js';
export { planJson, planText } from './plan-text.js';
export { type Subject, notInStep, publicationSubjects, subjectsOf, whyAllText, whyJson, whyText } from './why-text.js';
export {
  type AgentRights,
  type AgentRightsOptions,
  type ExplainedRights,
  explainAgentRights,
} from './explain-rights.js';
export { type AgentPolicyOptions, agentPolicy, agentPolicyName } from './agent-policy.js';
