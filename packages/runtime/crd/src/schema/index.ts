export * as s from './builder.js';
export type { Rule, SchemaNode, SchemaType } from './node.js';
export { type OpenAPISchema, toOpenAPI } from './openapi.js';
export { isRecord, prune } from './prune.js';
export type { Infer, ObjectOf, OptionalSchema, Schema, Shape } from './schema.js';
export { type Problem, typeProblem, validateTransition, validateValue } from './validate.js';
