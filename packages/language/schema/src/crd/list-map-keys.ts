import type { FieldError } from '../field-error.js';
import { forbidden, required } from '../field-errors.js';
import { childPath, keyPath } from '../field-path.js';
import { singleItems } from '../forbidden-keywords.js';
import type { JsonSchemaProps } from '../json-schema-props.js';

/** Items of sets and maps must not be null, and every item of a map must have its keys. */
export function listKeyErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const items = singleItems(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const at = childPath(path, 'items');
  const errors =
    items.nullable === true
      ? [forbidden(childPath(at, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
      : [];
  if (listType === 'set') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const keyAt = keyPath(childPath(at, 'properties'), key);
    if (items.required?.includes(key) !== true && (property.default ?? undefined) === undefined) {
      errors.push(
        required(
          childPath(keyAt, 'default'),
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    }
    if (property.nullable === true)
      errors.push(
        forbidden(
          childPath(keyAt, 'nullable'),
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        ),
      );
  }
  return errors;
}

/** Items of a set are compared as a whole, so they must be atomic. */
export function isSetOfNonAtomic(schema: JsonSchemaProps): 'list' | 'map' | undefined {
  const items = singleItems(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined) return undefined;
  if (items.type === 'array') return (items['x-kubernetes-list-type'] ?? 'atomic') === 'atomic' ? undefined : 'list';
  return items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic' ? 'map' : undefined;
}
