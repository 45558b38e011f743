export { project, type SyncedResource, syncedResources } from './project.js';
export { schemaName } from './hash/schema-name.js';
export { type SchemaOptions, toAPIResourceSchema } from './to-api-resource-schema.js';
export { ProjectionError, type ProjectionProblem, type ProjectionProblemCode } from './projection-error.js';
