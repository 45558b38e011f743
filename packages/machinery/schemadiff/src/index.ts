export { type Comparison, type SchemaChange, type Severity, describeChange, describeChanges, severities } from './change.js';
export { type Definition, type DefinitionSpec, type DefinitionVersion, type SchemaNode, definitionOf } from './definition.js';
export { compareDefinitions } from './compare-definitions.js';
