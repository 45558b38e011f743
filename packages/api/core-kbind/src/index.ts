export { apiGroup, apiVersion, version } from './group.js';
export { resources } from './resources.js';
export {
  annotations,
  type ConflictReason,
  fieldManagers,
  finalizers,
  fixedNames,
  heartbeatLeaseName,
  labels,
  leaseDurationSeconds,
  moveAnnotations,
} from './metadata.js';
export { allowedNamespaces, mayUse } from './allowed-namespaces.js';
export { isSelectedBy, type ObjectSelector, objectSelector, selectorsMeet } from './object-selector.js';
export { parseAPIName } from './api-name.js';
export {
  conditionFalse,
  conditionTrue,
  conditionTypes,
  conditionUnknown,
  getCondition,
  isConditionTrue,
  type NewCondition,
  setCondition,
  setConditions,
} from './conditions.js';
export { connectionOf, type ConsumerCRD, consumerCRD } from './consumer-crd.js';
export { crds, installCRDs, type InstallOptions } from './crds.js';
export { exportedAPIs } from './exported-apis.js';
export { orphansCopy, pairDialect } from './pair-dialect.js';
export { schemaHash } from './schema-hash.js';
export { malformation, validate, validateUpdate } from './validate.js';
export type { Kind } from './kinds/all-kinds.js';
export type { Condition } from './kinds/shared.js';
export type {
  Connection,
  ConnectionSpec,
  ConnectionStatus,
  ExportedAPI,
  PullPolicy,
  SchemaSource,
  UpdatePolicy,
} from './kinds/connection.js';
export type {
  Binding,
  BindingSpec,
  BindingStatus,
  BoundAPI,
  ConflictPolicy,
  Direction,
  RelatedResource,
} from './kinds/binding.js';
export { connectionNamed } from './kinds/binding.js';
