export { project, type SyncedResource } from './project.js';
export { type SchemaOptions, toAPIResourceSchema } from './to-api-resource-schema.js';
export { ProjectionError, type ProjectionProblem, type ProjectionProblemCode } from './projection-error.js';
