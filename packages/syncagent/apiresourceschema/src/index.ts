export { type APIResourceSchemaOptions, createAPIResourceSchema } from './apiresourceschema.js';
export { approvalAnnotation, schemaPolicyOf } from './schema-policy.js';
