import type { SchemaNode } from './node.js';
import { fieldSchema, isRecord } from './prune.js';

/**
 * Applies defaults as the API server does before it validates. A null where null is not allowed counts as absent.
 * Absent fields get their default, also within a default. Returns `value` itself if nothing changes.
 */
export function withDefaults(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? value : value.map((item: unknown) => withDefaults(items, item));
  }
  if (!isRecord(value)) return value;
  const fields = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value)) {
    const known = fieldSchema(node, name);
    if (field === undefined || (known !== undefined && field === null)) continue;
    fields.set(name, known === undefined ? field : withDefaults(known, field));
  }
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    if (property.default !== undefined && !fields.has(name)) fields.set(name, withDefaults(property, property.default));
  }
  return Object.fromEntries(fields);
}
