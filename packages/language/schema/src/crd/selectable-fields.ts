import type { FieldError } from '../field-error.js';
import { duplicate, invalid, required, tooMany } from '../field-errors.js';
import { childPath, indexPath } from '../field-path.js';
import { resolveFieldReference } from '../field-reference.js';
import type { JsonSchemaProps } from '../json-schema-props.js';

/** Limit of selectable fields per version. */
const MAX_SELECTABLE_FIELDS = 8;

/** Problems of selectable fields. */
export function selectableFieldErrors(
  fields: readonly { readonly jsonPath?: string }[],
  schema: JsonSchemaProps,
  path: string,
  allowTooMany: boolean,
): FieldError[] {
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath = '' }, index) => {
    const at = childPath(indexPath(path, index), 'jsonPath');
    if (jsonPath === '') return [required(at)];
    const reference = resolveFieldReference(jsonPath, schema, false);
    if (!reference.ok) return [invalid(at, jsonPath, `is an invalid path: ${reference.error}`)];
    const found: FieldError[] = [];
    if (reference.root === 'metadata') found.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(reference.schema?.type ?? '')) {
      found.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    }
    if (seen.has(reference.path)) found.push(duplicate(at, jsonPath));
    seen.add(reference.path);
    return found;
  });
  if (seen.size <= MAX_SELECTABLE_FIELDS || allowTooMany) return errors;
  return [...errors, tooMany(path, seen.size, MAX_SELECTABLE_FIELDS)];
}
