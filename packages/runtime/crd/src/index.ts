export {
  type CRDCondition,
  type CRDConversion,
  type CRDSpec,
  type CRDStatus,
  type CRDVersion,
  type CustomResourceDefinition,
  customResourceDefinitions,
} from './custom-resource-definition.js';
export {
  type CRDNames,
  crdNames,
  type CRDPrinterColumn,
  crdScope,
  type CRDSubresources,
  crdVersionHead,
  crdVersionTail,
  rawSchema,
  versionPattern,
} from './crd-parts.js';
export { type ResourceScope, resourceScopes } from './scopes.js';
export { columns, crdFromDefinition, type KindDefinition, type KindVersion, type PrinterColumn } from './kind.js';
export { root, rootWithOptionalSpec, type RootView } from './root.js';
export { crdYAML } from './crd-yaml.js';
export { encodeNames, encodePrinterColumn, encodeSubresources, encodeVersion } from './encode-crd-parts.js';
export { compareVersionPriority } from './version-priority.js';
export { CRDInstallError, type CRDInstallErrorCode } from './install/install-error.js';
export { installCRDs, type InstallOptions, type InstallOutcome } from './install/install.js';
export { upgradedVersions } from './install/upgrade.js';
export {
  type Infer,
  isRecord,
  type ObjectOf,
  type OpenAPISchema,
  type OptionalSchema,
  type Problem,
  prune,
  type Rule,
  s,
  type Schema,
  type SchemaNode,
  type SchemaType,
  type Shape,
  toOpenAPI,
  typeProblem,
  validateTransition,
  validateValue,
} from './schema/index.js';
