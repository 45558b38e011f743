import { type JsonValue, canonical } from '@hawser/json';
import { additionalSchema, itemsList, singleItems, withForbidden } from '../forbidden-keywords.js';
import type { JsonSchemaProps, ValidationRule } from '../json-schema-props.js';
import type { CrdSubresources, CrdVersion } from './custom-resource-definition.js';

/**
 * Some messages show parts of a CRD as the API server holds them: JSON with Go's field names, in Go's order, nothing
 * omitted. Built in that order here, and written without sorting.
 */

type Text = Readonly<Record<string, unknown>>;

export const versionsText = (versions: readonly CrdVersion[]): string => write(versions.map(versionOf));

export const schemaText = (schema: JsonSchemaProps): string => write(schemaOf(schema));

export const itemsText = (schema: JsonSchemaProps): string => write(itemsOf(schema));

export const ruleText = (rule: ValidationRule): string => write(ruleOf(rule));

const write = (value: unknown): string => canonical(value, { sortKeys: false });

const versionOf = (version: CrdVersion): Text => ({
  Name: version.name ?? '',
  Served: version.served ?? false,
  Storage: version.storage ?? false,
  Deprecated: version.deprecated ?? false,
  DeprecationWarning: version.deprecationWarning ?? null,
  Schema:
    version.schema === undefined
      ? null
      : {
          OpenAPIV3Schema:
            version.schema.openAPIV3Schema === undefined ? null : schemaOf(version.schema.openAPIV3Schema),
        },
  Subresources: version.subresources === undefined ? null : subresourcesOf(version.subresources),
  AdditionalPrinterColumns:
    version.additionalPrinterColumns?.map((column) => ({
      Name: column.name ?? '',
      Type: column.type ?? '',
      Format: column.format ?? '',
      Description: column.description ?? '',
      Priority: column.priority ?? 0,
      JSONPath: column.jsonPath ?? '',
    })) ?? null,
  SelectableFields: version.selectableFields?.map((selectable) => ({ JSONPath: selectable.jsonPath ?? '' })) ?? null,
});

const subresourcesOf = ({ status, scale }: CrdSubresources): Text => ({
  Status: status === undefined ? null : {},
  Scale:
    scale === undefined
      ? null
      : {
          SpecReplicasPath: scale.specReplicasPath ?? '',
          StatusReplicasPath: scale.statusReplicasPath ?? '',
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        },
});

function schemaOf(schema: JsonSchemaProps): Text {
  const raw = withForbidden(schema);
  return {
    ID: raw.id ?? '',
    Schema: raw.$schema ?? '',
    Ref: raw.$ref ?? null,
    Description: schema.description ?? '',
    Type: schema.type ?? '',
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? '',
    Title: schema.title ?? '',
    Default: sorted(schema.default),
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? '',
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum?.map(sorted) ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: itemsOf(schema),
    AllOf: schema.allOf?.map(schemaOf) ?? null,
    OneOf: schema.oneOf?.map(schemaOf) ?? null,
    AnyOf: schema.anyOf?.map(schemaOf) ?? null,
    Not: schema.not === undefined ? null : schemaOf(schema.not),
    Properties: mapOf(schema.properties),
    AdditionalProperties: schemaOrBool(schema, schema.additionalProperties),
    PatternProperties: mapOf(raw.patternProperties),
    Dependencies: null,
    AdditionalItems:
      raw.additionalItems === undefined
        ? null
        : schemaOrBool({ additionalProperties: raw.additionalItems }, raw.additionalItems),
    Definitions: mapOf(raw.definitions),
    ExternalDocs:
      schema.externalDocs === undefined
        ? null
        : { Description: schema.externalDocs.description ?? '', URL: schema.externalDocs.url ?? '' },
    Example: sorted(schema.example),
    XPreserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] ?? null,
    XEmbeddedResource: schema['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: schema['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: schema['x-kubernetes-list-map-keys'] ?? null,
    XListType: schema['x-kubernetes-list-type'] ?? null,
    XMapType: schema['x-kubernetes-map-type'] ?? null,
    XValidations: schema['x-kubernetes-validations']?.map(ruleOf) ?? null,
  };
}

function itemsOf(schema: JsonSchemaProps): Text | null {
  if (schema.items === undefined) return null;
  const items = singleItems(schema);
  return {
    Schema: items === undefined ? null : schemaOf(items),
    JSONSchemas: items === undefined ? itemsList(schema).map(schemaOf) : null,
  };
}

const ruleOf = (rule: ValidationRule): Text => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

function schemaOrBool(schema: JsonSchemaProps, value: JsonSchemaProps | boolean | undefined): Text | null {
  if (value === undefined) return null;
  const inner = additionalSchema(schema);
  return { Allows: value !== false, Schema: inner === undefined ? null : schemaOf(inner) };
}

function mapOf(schemas: Readonly<Record<string, JsonSchemaProps>> | undefined): Text | null {
  if (schemas === undefined) return null;
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, schema]) => [key, schemaOf(schema)]),
  );
}

/** Keys of JSON values in a schema are map keys, hence sorted. */
function sorted(value: JsonValue | undefined): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}
