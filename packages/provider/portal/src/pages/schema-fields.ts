import { isObject } from '@hawser/json';

/** A possible field of an object, for people. */
export interface SchemaField {
  /** Within the object: `spec.storage.size`, `spec.users[].name`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Maximum depth: deeper fields do not help on a page. */
const DEEPEST = 6;
const MOST_FIELDS = 150;
const LONGEST_TEXT = 400;

/** Lists the fields of `spec`, in schema order; `more` if there are further ones. An invalid schema has none. */
export function specFields(schema: unknown): { readonly fields: readonly SchemaField[]; readonly more: boolean } {
  const fields: SchemaField[] = [];
  const root = propertiesOf(schema);
  if (root !== undefined && isObject(root['spec'])) collect(root['spec'], 'spec', 1, fields);
  return { fields: fields.slice(0, MOST_FIELDS), more: fields.length > MOST_FIELDS };
}

function collect(schema: unknown, path: string, depth: number, fields: SchemaField[]): void {
  const required: readonly unknown[] = isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, property] of Object.entries(propertiesOf(schema) ?? {})) {
    if (fields.length > MOST_FIELDS) return;
    const at = `${path}.${name}`;
    const description =
      isObject(property) && typeof property['description'] === 'string' ? property['description'] : '';
    fields.push({
      path: at,
      type: typeOf(property),
      isRequired: required.includes(name),
      description: description.length > LONGEST_TEXT ? `${description.slice(0, LONGEST_TEXT)}…` : description,
    });
    if (depth < DEEPEST) collectBelow(property, at, depth + 1, fields);
  }
}

function collectBelow(schema: unknown, path: string, depth: number, fields: SchemaField[]): void {
  if (!isObject(schema)) return;
  if (isObject(schema['items'])) collect(schema['items'], `${path}[]`, depth, fields);
  else if (isObject(schema['additionalProperties']))
    collect(schema['additionalProperties'], `${path}.*`, depth, fields);
  else collect(schema, path, depth, fields);
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : undefined;
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'anything';
  const { type, format, items, additionalProperties, enum: values } = schema;
  if (Array.isArray(values) && values.length > 0)
    return `one of ${values.slice(0, 12).map(valueText).join(', ')}${values.length > 12 ? ', …' : ''}`;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'object' && isObject(additionalProperties)) return `map of ${typeOf(additionalProperties)}`;
  if (typeof type !== 'string') return 'anything';
  return typeof format === 'string' ? `${type} (${format})` : type;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
