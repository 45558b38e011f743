export { type APIResourceSchemaOptions, createAPIResourceSchema } from './apiresourceschema.js';
export { approvalAnnotation, schemaPolicyOf, type SchemaPolicy } from './schema-policy.js';
