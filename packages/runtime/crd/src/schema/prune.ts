import type { SchemaNode } from './node.js';

/**
 * Removes the fields that the schema does not know, as the API server does before it stores. Keeps values of a wrong
 * type.
 */
export function prune(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? value : value.map((item: unknown) => prune(items, item));
  }
  if (!isRecord(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const known = fieldSchema(node, name);
    if (known !== undefined) entries.push([name, prune(known, field)]);
    else if (node.preserveUnknownFields === true) entries.push([name, field]);
  }
  // Unlike an assignment, this keeps `__proto__` an ordinary key.
  return Object.fromEntries(entries);
}

/** The schema of one field of an object; undefined: it has none. */
export function fieldSchema(node: SchemaNode, name: string): SchemaNode | undefined {
  if (node.properties !== undefined && Object.hasOwn(node.properties, name)) return node.properties[name];
  return node.values;
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
