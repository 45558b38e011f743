export type { ExplainContext } from './context.js';
export { type ExplainOptions, explain } from './explain.js';
export type { PlannedWrite } from './preview-client.js';
export type { BindingReport, ObjectReport, ResourceReport } from './report.js';
export { type PlanStep, planJson, planText, stepsOf } from './plan-text.js';
export { treeText } from './tree-text.js';
export { type Subject, bindingSubjects, notInStep, subjectsOf, whyAllText, whyJson, whyText } from './why-text.js';
export { isBindingWord, isNamed } from './named.js';
export { type RightsOptions, type SideRights, explainRights } from './explain-rights.js';
export { type KonnectorPolicyOptions, konnectorPolicy, konnectorPolicyName } from './konnector-policy.js';
export { rbacText } from './rbac-text.js';
export { examine } from './examine.js';
export {
  type Area,
  type Examination,
  type ExaminationState,
  areas,
  examinationText,
  isHealthy,
} from './examination.js';
export { type SecretView, readSecret } from './secret.js';
