import type { Budget } from '../exec/budget.js';
import { numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import { isList, isMap, isNil, isNilList, typeName } from '../values/types.js';
import { formatFloat } from './format-float.js';
import { sortedKeys } from './print.js';
import { quoteGo } from './quote.js';

/** A value in Go syntax, as `%#v` prints it. */
export function goSyntax(value: GoValue, budget: Budget, nested = false): string {
  const text = write(value, budget, nested);
  budget.charge(text.length);
  return text;
}

function write(value: GoValue, budget: Budget, nested: boolean): string {
  if (isNil(value)) return nested ? 'interface {}(nil)' : '<nil>';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'boolean') return String(value);
  const number = numberView(value);
  if (number !== undefined) {
    if (number.kind === 'uint') return `0x${number.value.toString(16)}`;
    return number.kind === 'float' ? formatFloat(number.value, 'g', 'shortest') : number.value.toString();
  }
  budget.charge(1);
  if (isNilList(value)) return `${typeName(value)}(nil)`;
  if (isList(value)) return `${typeName(value)}{${value.map((item) => goSyntax(item, budget, true)).join(', ')}}`;
  if (isMap(value))
    return `${typeName(value)}{${sortedKeys(value)
      .map((key) => `${quoteGo(key)}:${goSyntax(value[key], budget, true)}`)
      .join(', ')}}`;
  if (value instanceof GoObject) {
    const fields = Object.entries(value.fields).map(([name, field]) => `${name}:${goSyntax(field, budget, true)}`);
    return `${value.kind === 'ptr' ? '&' : ''}${value.type.replace('*', '')}{${fields.join(', ')}}`;
  }
  return 'func()';
}
