import { type LabelOperator, type LabelSelector, parseLabelSelector as parse } from '@hawser/selector';
import { formatFieldError } from '@hawser/schema';
import { invalid } from '../object/invalid.js';
import { labelValue, qualifiedName } from '../object/names.js';
import { badRequest } from '../status.js';

/** Throws 400 for an invalid selector, with the parser's message. */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    return parse(text, { key: checkKey, value: checkValue });
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

function checkKey(key: string): void {
  const errors = qualifiedName(key);
  if (errors.length > 0) throw new SyntaxError(formatFieldError(invalid('', key, errors.join('; '))));
}

function checkValue(key: string, value: string, operator: LabelOperator, index: number): void {
  if (operator === 'gt' || operator === 'lt') {
    if (!/^[-+]?\d+$/u.test(value))
      throw new SyntaxError(
        formatFieldError(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")),
      );
    return;
  }
  const errors = labelValue(value);
  if (errors.length > 0)
    throw new SyntaxError(formatFieldError(invalid(`values[${index}][${key}]`, value, errors.join('; '))));
}
