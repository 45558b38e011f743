export { compile, type CompileOptions, type Template, type TemplateLimits } from './compile.js';
export { TemplateError, type TemplateErrorCode, type TemplateErrorPosition } from './template-error.js';
export {
  type CallContext,
  fn,
  type FunctionMap,
  isTemplateFunction,
  type ParameterType,
  type ParameterTypes,
  type RefusedFunction,
  type TemplateFunction,
  variadicFn,
} from './template-function.js';
export type { Budget } from './exec/budget.js';
export { float64, GoNumber, int, int64, type IntegerType, type NumberType } from './values/go-number.js';
export { GoObject, type GoObjectOptions } from './values/go-object.js';
export type { GoList, GoMap, GoValue } from './values/go-value.js';
export { sprigFunctions } from './sprig/index.js';
export type { RandomBytes, SprigOptions } from './sprig/options.js';
export { jsonOf } from './sprig/json.js';
export { trimSpace } from './sprig/letters.js';
export { toBytes as bytesOf } from './values/bytes.js';
