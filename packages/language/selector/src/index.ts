export { type FieldSelector, everyField, parseFieldSelector } from './field-selector.js';
export {
  type LabelChecks,
  type LabelOperator,
  type LabelSelector,
  everyLabel,
  parseLabelSelector,
} from './label-selector.js';
