export type { ExplainContext } from './context.js';
export { type ExplainOptions, explain } from './explain.js';
export type { PlannedWrite } from './preview-client.js';
export {
  type BindingKind,
  type BindingReport,
  type ObjectReport,
  type ResourceReport,
  consumerOf,
  titleOf,
} from './report.js';
export { type PlanStep, planJson, planText, stepsOf } from './plan-text.js';
export { treeDocument } from './tree-document.js';
export { treeText } from './tree-text.js';
export { type Subject, bindingSubjects, notInStep, subjectsOf, whyAllText, whyJson, whyText } from './why-text.js';
export { claimedSubjects } from './claimed-subjects.js';
export { bindingKinds, isNamed } from './named.js';
export { type RightsOptions, type SideRights, explainRights } from './explain-rights.js';
export { type KonnectorPolicyOptions, konnectorPolicy } from './konnector-policy.js';
export { rbacText } from './rbac-text.js';
export { type Examined, type ReachedProvider, examine, examineAll } from './examine.js';
export { type Area, type Examination, type ExaminationState, examinationText, isHealthy } from './examination.js';
export { type SecretView, readSecret } from './secret.js';
