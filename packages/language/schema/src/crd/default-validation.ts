import { type JsonValue, clone, equal } from '@hawser/json';
import { coerceMetadata, validateEmbeddedResources } from '../embedded-resource.js';
import type { FieldError } from '../field-error.js';
import { invalid } from '../field-errors.js';
import { childPath, keyPath } from '../field-path.js';
import type { JsonSchemaProps } from '../json-schema-props.js';
import { isObject, setOwn } from '../own.js';
import { prune } from '../pruning.js';
import { invalidValue } from '../schema-errors.js';
import { formatFieldError } from '../status-message.js';
import { type StructuralSchema, toStructural } from '../structural-schema.js';

/** Validates a default by its schema's CEL rules. */
export type CheckDefault = (context: {
  readonly value: JsonValue;
  readonly schema: JsonSchemaProps;
  readonly path: string;
  readonly isResource: boolean;
}) => readonly FieldError[];

export interface DefaultOptions {
  readonly requirePruned: boolean;
  readonly checkDefault: CheckDefault | undefined;
}

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Places a field's value into an otherwise empty resource. */
type Surround = (value: JsonValue) => JsonValue;

interface DefaultContext {
  readonly path: string;
  readonly insideMetadata: boolean;
  readonly resource: StructuralSchema;
  readonly surround: Surround;
}

/**
 * Problems of defaults: they must be valid, and have no field that pruning would remove. The schema must be structural.
 */
export function defaultErrors(schema: JsonSchemaProps, path: string, options: DefaultOptions): FieldError[] {
  const root = asResource(toStructural(schema));
  return errorsBelow(root, { path, insideMetadata: false, resource: root, surround: withType }, options);
}

const asResource = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  embeddedResource: true,
  features: { ...schema.features, embeddedResources: true },
});

function errorsBelow(schema: StructuralSchema, outer: DefaultContext, options: DefaultOptions): FieldError[] {
  if (!schema.features.defaults) return [];
  const context: DefaultContext = schema.embeddedResource
    ? { path: outer.path, insideMetadata: false, resource: schema, surround: withType }
    : outer;
  const errors = schema.default === undefined ? [] : ownErrors(schema, schema.default, context, options);
  if (schema.items !== undefined) {
    errors.push(
      ...errorsBelow(
        schema.items,
        { ...context, path: childPath(context.path, 'items'), surround: (value) => context.surround([value]) },
        options,
      ),
    );
  }
  for (const [key, property] of schema.properties) {
    errors.push(
      ...errorsBelow(
        property,
        {
          ...context,
          path: keyPath(childPath(context.path, 'properties'), key),
          insideMetadata: context.insideMetadata || (schema.embeddedResource && META_FIELDS.has(key)),
          surround: (value) => context.surround({ [key]: value }),
        },
        options,
      ),
    );
  }
  return errors;
}

function ownErrors(
  schema: StructuralSchema,
  value: JsonValue,
  context: DefaultContext,
  options: DefaultOptions,
): FieldError[] {
  const path = childPath(context.path, 'default');
  const metadata = context.insideMetadata
    ? metadataErrors(value, path, context)
    : embeddedErrors(schema, value, path, options);
  if (metadata.decisive) return metadata.errors;
  const invalidErrors = invalidValue(withoutIntOrString(schema.props), value, path);
  if (invalidErrors.length > 0) return [...metadata.errors, ...invalidErrors];
  return [
    ...metadata.errors,
    ...(options.checkDefault?.({ value, schema: schema.props, path, isResource: schema.embeddedResource }) ?? []),
  ];
}

interface Judged {
  readonly errors: FieldError[];
  /** Stops further checks. */
  readonly decisive: boolean;
}

function metadataErrors(value: JsonValue, path: string, { resource, surround }: DefaultContext): Judged {
  const object = surround(clone(value));
  const { error } = coerceMetadata(object, resource, true);
  const errors = error === undefined ? validateEmbeddedResources(object, asResource(resource)) : [error];
  if (errors.length === 0) return { errors: [], decisive: false };
  const lines = [...new Set(errors.map(formatFieldError))];
  const text = lines.length === 1 ? lines.join('') : `[${lines.join(', ')}]`;
  return { errors: [invalid(path, value, `must result in valid metadata: ${text}`)], decisive: true };
}

function embeddedErrors(schema: StructuralSchema, value: JsonValue, path: string, options: DefaultOptions): Judged {
  const pruned = clone(value);
  prune(pruned, schema, schema.embeddedResource);
  const unpruned =
    options.requirePruned && !equal(pruned, value) ? [invalid(path, value, 'must not have unknown fields')] : [];
  const coerced = clone(value);
  const { error } = coerceMetadata(coerced, schema, schema.embeddedResource, { path });
  const errors = error === undefined ? validateEmbeddedResources(coerced, schema, path) : [error];
  return { errors: [...unpruned, ...errors], decisive: errors.length > 0 };
}

function withType(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  for (const [key, type] of [
    ['kind', 'Validation'],
    ['apiVersion', 'validation/v1'],
  ] as const)
    if (!Object.hasOwn(value, key)) setOwn(value, key, type);
  return value;
}

/** Only here does the API server not accept `x-kubernetes-int-or-string` as a type. */
function withoutIntOrString(schema: JsonSchemaProps): JsonSchemaProps {
  const { items, properties, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    'x-kubernetes-int-or-string': false,
    ...(items === undefined ? {} : { items: withoutIntOrString(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, property]) => [key, withoutIntOrString(property)]),
          ),
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? withoutIntOrString(additionalProperties) : additionalProperties,
        }),
  };
}
