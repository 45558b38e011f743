export { type Comparison, type SchemaChange, type Severity, describeChange } from './change.js';
export { type Definition, type DefinitionVersion, type SchemaNode, definitionOf } from './definition.js';
export { compareDefinitions } from './compare-definitions.js';
