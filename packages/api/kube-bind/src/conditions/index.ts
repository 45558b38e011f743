export {
  type Conditions,
  falseCondition,
  getCondition,
  hasCondition,
  hasSameState,
  isBefore,
  isConditionFalse,
  isConditionTrue,
  isConditionUnknown,
  markFalse,
  markTrue,
  markUnknown,
  type NewCondition,
  removeCondition,
  setCondition,
  trueCondition,
  unknownCondition,
} from './condition-list.js';
export {
  type ConditionGroup,
  type ConditionSource,
  groupConditions,
  localizeReason,
  mergeConditions,
  type MergeOptions,
  type SourcedCondition,
  stepCounterMessage,
} from './merge.js';
export {
  aggregate,
  type AggregateOptions,
  type AggregateSource,
  mirror,
  type MirrorFallback,
  setAggregate,
  setBindingSummary,
  setBundleSummary,
  setMirror,
  setSummary,
  summary,
  type SummaryOptions,
} from './summary.js';
export {
  applyConditionPatch,
  type ApplyOptions,
  ConditionConflictError,
  type ConditionOperation,
  diffConditions,
} from './condition-patch.js';
export { conditionReasons, conditionTypes } from './types.js';
export { readSchemaApplied, type SchemaAnswer, schemaAppliedCondition } from './schema-applied.js';
