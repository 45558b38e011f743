export { type CompileOptions, type RuleSet, compileRules } from './rules/rule-set.js';
export { type RuleCheck, type UnsupportedRule, checkRule, checkRules } from './rules/check-rules.js';
export { rulesNotChecked } from './rules/blocking.js';
export { type Bounded, withinSteps } from './values/steps.js';
export { UnsupportedExpression } from './unsupported.js';
export {
  ExpressionError,
  type JsonExpression,
  type Numbers,
  compileJsonExpression,
} from './expression/json-expression.js';
