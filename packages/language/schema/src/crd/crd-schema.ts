import type { FieldError } from '../field-error.js';
import { forbidden, invalid } from '../field-errors.js';
import { childPath } from '../field-path.js';
import { structuralObstacle } from '../forbidden-keywords.js';
import type { JsonSchemaProps } from '../json-schema-props.js';
import { validateStructural } from '../structural-validation.js';
import { type CheckDefault, defaultErrors } from './default-validation.js';
import { schemaText } from './go-struct-text.js';
import type { Validation } from './internal-spec.js';
import { type SchemaRuleOptions, schemaRuleErrors } from './schema-rules.js';

export interface CrdSchemaOptions extends SchemaRuleOptions {
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly checkDefault: CheckDefault | undefined;
}

/** Problems of a version's schema. */
export function crdSchemaErrors(
  validation: Validation | undefined,
  hasStatus: boolean,
  path: string,
  options: CrdSchemaOptions,
): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const at = childPath(path, 'openAPIV3Schema');
  const errors = hasStatus ? rootErrors(schema, at) : [];
  if (schema.nullable === true)
    errors.push(forbidden(childPath(at, 'nullable'), 'nullable cannot be true at the root'));
  const obstacle = options.requireStructural ? structuralObstacle(schema) : undefined;
  const structural = options.requireStructural && obstacle === undefined ? structuralErrors(schema, at, options) : [];
  errors.push(...structural);
  const evaluateRules = options.requireStructural && obstacle === undefined && structural.length === 0;
  errors.push(...schemaRuleErrors(schema, at, evaluateRules, options));
  return errors.length === 0 && obstacle !== undefined ? [invalid(at, '', obstacle)] : errors;
}

function structuralErrors(schema: JsonSchemaProps, path: string, options: CrdSchemaOptions): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length > 0
    ? errors
    : defaultErrors(schema, path, { requirePruned: options.requirePrunedDefaults, checkDefault: options.checkDefault });
}

/** Keywords in the order of Go's struct, with the names of its fields. */
const KEYWORDS: readonly (readonly [keyword: string, name: string, allowedAtRoot: boolean])[] = [
  ['id', 'ID', false],
  ['$schema', 'Schema', false],
  ['$ref', 'Ref', false],
  ['description', 'Description', true],
  ['type', 'Type', true],
  ['nullable', 'Nullable', false],
  ['format', 'Format', true],
  ['title', 'Title', true],
  ['default', 'Default', false],
  ['maximum', 'Maximum', true],
  ['exclusiveMaximum', 'ExclusiveMaximum', true],
  ['minimum', 'Minimum', true],
  ['exclusiveMinimum', 'ExclusiveMinimum', true],
  ['maxLength', 'MaxLength', true],
  ['minLength', 'MinLength', true],
  ['pattern', 'Pattern', true],
  ['maxItems', 'MaxItems', true],
  ['minItems', 'MinItems', true],
  ['uniqueItems', 'UniqueItems', true],
  ['multipleOf', 'MultipleOf', true],
  ['enum', 'Enum', false],
  ['maxProperties', 'MaxProperties', false],
  ['minProperties', 'MinProperties', false],
  ['required', 'Required', true],
  ['items', 'Items', true],
  ['allOf', 'AllOf', false],
  ['oneOf', 'OneOf', false],
  ['anyOf', 'AnyOf', false],
  ['not', 'Not', false],
  ['properties', 'Properties', true],
  ['additionalProperties', 'AdditionalProperties', false],
  ['patternProperties', 'PatternProperties', false],
  ['dependencies', 'Dependencies', false],
  ['additionalItems', 'AdditionalItems', false],
  ['definitions', 'Definitions', false],
  ['externalDocs', 'ExternalDocs', true],
  ['example', 'Example', true],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields', true],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource', false],
  ['x-kubernetes-int-or-string', 'XIntOrString', false],
  ['x-kubernetes-list-map-keys', 'XListMapKeys', false],
  ['x-kubernetes-list-type', 'XListType', false],
  ['x-kubernetes-map-type', 'XMapType', false],
  ['x-kubernetes-validations', 'XValidations', true],
];
const ALLOWED_AT_ROOT = KEYWORDS.filter(([, , allowed]) => allowed)
  .map(([, name]) => name)
  .join(' ');

/**
 * With a status subresource the API server validates only `properties.status`, so the root must not add conditions on
 * it.
 */
function rootErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const keywords: Readonly<Record<string, unknown>> = { ...schema };
  for (const [keyword, , allowed] of KEYWORDS) {
    const value = keywords[keyword];
    if (
      value === undefined ||
      value === null ||
      value === '' ||
      (value === false && keyword !== 'x-kubernetes-preserve-unknown-fields')
    )
      continue;
    if (keyword === 'type' && value !== 'object') {
      return [
        invalid(
          childPath(path, 'type'),
          schema.type ?? '',
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    }
    if (!allowed) {
      const detail = `only [${ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [{ ...invalid(path, '', detail), shown: schemaText(schema) }];
    }
  }
  return [];
}
