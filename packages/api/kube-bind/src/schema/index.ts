export * as s from './builder.js';
export type { Rule, SchemaNode, SchemaType } from './node.js';
export type { Infer, ObjectOf, OptionalSchema, Schema, Shape } from './schema.js';
