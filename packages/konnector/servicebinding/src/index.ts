export { type ServiceBindingOptions, createServiceBinding } from './servicebinding.js';
export { requiredInformers } from './sources.js';
export { type Decision, type NoExportReason, type StatusFields, decide } from './decide.js';
export type { ResourceAction } from './resource-action.js';
export type { Problem, ProblemReason } from './problem.js';
export type { Attempt, CRDReading, ExportReading, Observed, ResourceObserved, SchemaReading } from './observed.js';
export type { WantedCRD } from './wanted-crd.js';
export type { CRDPolicy } from './crd-policy.js';
export { act } from './act.js';
export {
  type HeldMetric,
  type HeldSchemas,
  approveHeldSchemas,
  createHeldMetric,
  heldCondition,
  heldSchemas,
} from './held-schemas.js';
export type { GateTerms, Hold, HoldReason } from './hold.js';
export { gateTerms, readGate } from './schema-gate.js';
export { sameCrdSpec } from './crd-difference.js';
export { conclude, concludeWithoutExport } from './conclude.js';
export type { ServingReason } from './problem.js';
export { olderRival } from './rivals.js';
export { WantedCRDs } from './wanted-crds.js';
