export { type ServiceBindingOptions, createServiceBinding } from './servicebinding.js';
export { requiredInformers } from './sources.js';
export {
  type Decision, type NoExportReason, type Problem, type ProblemReason, type ResourceAction, type StatusFields, decide,
} from './decide.js';
export type { Attempt, CRDReading, ExportReading, Observed, ResourceObserved, SchemaReading, WantedCRD } from './observed.js';
export { isProtectedGroup } from './protected-groups.js';
