export { type ServiceBindingOptions, createServiceBinding } from './servicebinding.js';
export { requiredInformers } from './sources.js';
export {
  type Decision, type NoExportReason, type Problem, type ProblemReason, type ResourceAction, type StatusFields, decide,
} from './decide.js';
export type { Attempt, CRDReading, ExportReading, Observed, ResourceObserved, SchemaReading, WantedCRD } from './observed.js';
export { type CRDPolicy, refusedByPolicy } from './crd-policy.js';
export { isProtectedGroup } from './protected-groups.js';
export { act } from './act.js';
export { type HeldSchemas, approveHeldSchemas, heldCondition, heldSchemas } from './held-schemas.js';
export { type GateTerms, type Hold, type HoldReason, gateTerms, readGate } from './schema-gate.js';
export { sameCrdSpec } from './crd-difference.js';
export { conclude, concludeWithoutExport } from './conclude.js';
export { olderRival } from './rivals.js';
export { WantedCRDs } from './wanted-crd.js';
