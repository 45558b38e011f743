export { type FieldSelector, everyField, parseFieldSelector } from './field-selector.js';
export {
  type LabelChecks,
  type LabelOperator,
  type LabelSelector,
  everyLabel,
  labelRules,
  parseLabelSelector,
} from './label-selector.js';
