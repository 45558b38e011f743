export type { JsonSchemaProps, ValidationRule } from './json-schema-props.js';
export type { FieldError, FieldErrorType } from './field-error.js';
export { type AdmitOptions, type CompiledSchema, type PruneOptions, compileSchema } from './compiled-schema.js';
export type { CoerceOptions, Coerced } from './embedded-resource.js';
export { type StructuralSchema, schemaOfKey, toStructural } from './structural-schema.js';
export {
  type StatusCause,
  formatFieldError,
  formatFieldErrorBody,
  invalidStatusMessage,
  toStatusCauses,
} from './status-message.js';
export { type DecodedMetadata, decodeObjectMeta, salvageObjectMeta } from './object-meta.js';
export {
  type ObjectMetaRules,
  fieldManagerErrors,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta-validation.js';
export {
  type NameRule,
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
  pathSegmentErrors,
} from './names.js';
export { PatternWorkExceeded, withPatternWork } from './pattern-work.js';
export { validateStructural } from './structural-validation.js';
export { type FieldReference, resolveFieldReference } from './field-reference.js';
export {
  type CrdConversion,
  type CrdNames,
  type CrdPrinterColumn,
  type CrdSpec,
  type CrdStatus,
  type CrdSubresources,
  type CrdVersion,
  type CrdWebhookClient,
  type CustomResourceDefinition,
  defaultCustomResourceDefinition,
} from './crd/custom-resource-definition.js';
export { type CrdValidationOptions, validateCustomResourceDefinition } from './crd/crd-validation.js';
export type { RuleContext } from './crd/schema-rules.js';
export type { CheckDefault } from './crd/default-validation.js';
export { ruleText } from './crd/go-struct-text.js';
