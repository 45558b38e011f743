export { type Severity, severities } from './severity.js';
export {
  type Comparison,
  type SchemaChange,
  bySeverity,
  describeChange,
  describeChanges,
  explainChange,
} from './change.js';
export { type ChangeKind, type ClassifiedChange, classification } from './classification.js';
export { classificationMarkdown } from './classification-markdown.js';
export {
  type Definition,
  type DefinitionSpec,
  type DefinitionVersion,
  type SchemaNode,
  definitionOf,
} from './definition.js';
export { compareDefinitions } from './compare-definitions.js';
