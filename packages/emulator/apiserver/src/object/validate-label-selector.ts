import type { JsonObject } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { child, forbiddenField, invalid, item, required } from './invalid.js';
import { arrayField, objectsField, stringField, stringMap, stringsField } from './json.js';
import { labelValue, qualifiedName } from './names.js';
import { validateLabels } from './validate-meta.js';

export const SELECTOR_OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Problems of a LabelSelector (apimachinery `ValidateLabelSelector`). */
export function validateLabelSelector(selector: JsonObject, path: string): readonly FieldError[] {
  const labels = validateLabels(Object.fromEntries(stringMap(selector, 'matchLabels')), child(path, 'matchLabels'));
  return [
    ...labels,
    ...objectsField(selector, 'matchExpressions').flatMap((expression, index) =>
      validateRequirement(expression, item(child(path, 'matchExpressions'), index)),
    ),
  ];
}

function validateRequirement(expression: JsonObject, path: string): readonly FieldError[] {
  const operator = stringField(expression, 'operator');
  const key = stringField(expression, 'key');
  const keyErrors = qualifiedName(key).map((message) => invalid(child(path, 'key'), key, message));
  const valueErrors = stringsField(expression, 'values').flatMap((value, index) =>
    labelValue(value).map((message) => invalid(item(child(path, 'values'), index), value, message)),
  );
  return [...operatorErrors(operator, arrayField(expression, 'values').length, path), ...keyErrors, ...valueErrors];
}

function operatorErrors(operator: string, values: number, path: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values === 0
        ? [required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case 'Exists':
    case 'DoesNotExist':
      return values > 0
        ? [forbiddenField(child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    default:
      return [invalid(child(path, 'operator'), operator, 'not a valid selector operator')];
  }
}
