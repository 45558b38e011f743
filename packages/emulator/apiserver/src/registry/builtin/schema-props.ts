import type { JsonSchemaProps } from '@hawser/schema';
import { definitions } from './definitions.js';
import type { OpenApiSchema } from './openapi-schema.js';

/** A definition with all references resolved. A recursive one ends as free form. */
export function schemaPropsOf(name: string, above: readonly string[] = []): JsonSchemaProps {
  const definition = definitions[name];
  if (definition === undefined || above.includes(name))
    return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return resolve(definition, [...above, name]);
}

function resolve(schema: OpenApiSchema, above: readonly string[]): JsonSchemaProps {
  if (schema.$ref !== undefined) return schemaPropsOf(schema.$ref, above);
  const { properties, items, additionalProperties, ...rest } = schema;
  return {
    ...(rest as JsonSchemaProps),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, property]) => [key, resolve(property, above)]),
          ),
        }),
    ...(items === undefined ? {} : { items: resolve(items, above) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : resolve(additionalProperties, above),
        }),
  };
}
