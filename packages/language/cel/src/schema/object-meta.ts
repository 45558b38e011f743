import type { JsonSchemaProps } from '@hawser/schema';

const text: JsonSchemaProps = { type: 'string' };

const objectMeta = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
} as const satisfies Readonly<Record<string, JsonSchemaProps>>;

const hasObjectMeta = (schema: JsonSchemaProps): boolean => {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const { name, generateName } = metadata?.properties ?? {};
  return (
    [kind, apiVersion, name, generateName].every((property) => property?.type === 'string') &&
    metadata?.type === 'object'
  );
};

const known = new WeakMap<JsonSchemaProps, JsonSchemaProps>();

/**
 * Adds the metadata that resource rules always see: `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`,
 * no others.
 */
export const withObjectMeta = (schema: JsonSchemaProps): JsonSchemaProps => {
  if (hasObjectMeta(schema)) {
    return schema;
  }
  const extended = known.get(schema) ?? { ...schema, properties: { ...schema.properties, ...objectMeta } };
  known.set(schema, extended);
  return extended;
};
