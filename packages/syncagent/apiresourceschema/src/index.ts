export { type APIResourceSchemaOptions, createAPIResourceSchema } from './apiresourceschema.js';
export { approvalAnnotation, schemaPolicyOf } from './schema-policy.js';
export { ProjectionError, project, toAPIResourceSchema } from './projection/index.js';
export { DiscoveryError, discoverCRD } from './discovery/index.js';
