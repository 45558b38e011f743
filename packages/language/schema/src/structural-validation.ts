import type { FieldError } from './field-error.js';
import { forbidden, invalid, required } from './field-errors.js';
import { childPath, indexPath, keyPath } from './field-path.js';
import { additionalSchema, singleItems } from './forbidden-keywords.js';
import { equal } from '@hawser/json';
import type { JsonSchemaProps } from './json-schema-props.js';
import { formatFieldError } from './status-message.js';
import { compilePattern } from './string-check.js';

type Level = 'root' | 'item' | 'field';

/**
 * Why a schema is not structural, in the API server's order and words: every specified field needs its own type, and
 * `allOf` and the like only add conditions. Does not check keywords that no CRD may have.
 */
export function validateStructural(schema: JsonSchemaProps, path = ''): FieldError[] {
  const errors = [...invariantErrors(schema, 'root', path), ...branchCompleteness(schema, schema, path, path)];
  return errors
    .map((error) => ({ error, line: formatFieldError(error) }))
    .sort((a, b) => (a.line < b.line ? -1 : a.line > b.line ? 1 : 0))
    .map(({ error }) => error);
}

function invariantErrors(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = singleItems(schema);
  const additional = additionalSchema(schema);
  if (schema.type === 'array' && items === undefined)
    errors.push(required(childPath(path, 'items'), 'must be specified'));
  if (items !== undefined) errors.push(...invariantErrors(items, 'item', childPath(path, 'items')));
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    errors.push(...invariantErrors(property, 'field', propertyPath(path, key)));
  if (schema.additionalProperties !== undefined && level === 'root')
    errors.push(forbidden(childPath(path, 'additionalProperties'), 'must not be used at the root'));
  if (additional !== undefined)
    errors.push(...invariantErrors(additional, 'field', childPath(path, 'additionalProperties')));
  errors.push(...extensionErrors(schema, path));
  const skip = { anyOf: isIntOrString(schema.anyOf), firstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) };
  errors.push(...valueErrors(schema, skip, path));
  errors.push(...typeErrors(schema, level, path));
  errors.push(...metadataErrors(schema, level, path));
  return errors;
}

function extensionErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((extension) => schema[extension] === true)
    .map((extension) =>
      invalid(childPath(path, extension), true, 'must be false if x-kubernetes-int-or-string is true'),
    );
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const type = schema.type ?? '';
  const at = childPath(path, 'type');
  const errors: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (
    type === '' &&
    schema['x-kubernetes-int-or-string'] !== true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  ) {
    errors.push(required(at, EMPTY_TYPE[level]));
  }
  if (embedded && schema.additionalProperties !== undefined) {
    errors.push(
      forbidden(childPath(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(at, type, 'must be object at the root'));
  return errors;
}

function metadataErrors(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const isResource = level === 'root' || embedded;
  for (const key of ['kind', 'apiVersion']) {
    const property = propertyOf(schema, key);
    if (property !== undefined && isResource && property.type !== 'string') {
      errors.push(invalid(childPath(propertyPath(path, key), 'type'), property.type ?? '', 'must be string'));
    }
  }
  const metadata = propertyOf(schema, 'metadata');
  if (metadata !== undefined) {
    const at = propertyPath(path, 'metadata');
    if (isResource && metadata.type !== 'object')
      errors.push(invalid(childPath(at, 'type'), metadata.type ?? '', 'must be object'));
    if (level === 'root' && !isBareMetadata(metadata)) {
      errors.push(
        forbidden(
          at,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
    }
  }
  if (
    embedded &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    Object.keys(schema.properties ?? {}).length === 0
  ) {
    errors.push(
      required(
        childPath(path, 'properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  }
  return errors;
}

/** The API server validates metadata itself: a schema can only restrict the name. */
function isBareMetadata(metadata: JsonSchemaProps): boolean {
  return Object.entries(metadata).every(([keyword, value]: [string, unknown]) => {
    if (keyword === 'type' || keyword === 'default') return true;
    if (keyword === 'properties')
      return Object.keys(metadata.properties ?? {}).every((key) => key === 'name' || key === 'generateName');
    return value === undefined || value === null || value === '' || value === false;
  });
}

const INT_OR_STRING: readonly JsonSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

/** The only pattern in which `anyOf` may name types. */
const isIntOrString = (anyOf: readonly JsonSchemaProps[] | undefined): boolean => equal(anyOf, INT_OR_STRING);

function valueErrors(
  schema: JsonSchemaProps,
  skip: { readonly anyOf: boolean; readonly firstAllOf: boolean },
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const nested = (keyword: 'anyOf' | 'allOf' | 'oneOf', skipsAnyOf: (index: number) => boolean): void => {
    for (const [index, branch] of (schema[keyword] ?? []).entries())
      errors.push(...nestedErrors(branch, skipsAnyOf(index), indexPath(childPath(path, keyword), index)));
  };
  if (!skip.anyOf) nested('anyOf', () => false);
  nested('allOf', (index) => skip.firstAllOf && index === 0);
  nested('oneOf', () => false);
  if (schema.not !== undefined) errors.push(...nestedErrors(schema.not, false, childPath(path, 'not')));
  const pattern = schema.pattern ?? '';
  const error = pattern === '' ? undefined : compilePattern(pattern).error;
  if (error !== undefined)
    errors.push(
      invalid(childPath(path, 'pattern'), pattern, `must be a valid regular expression, but isn't: ${error}`),
    );
  return errors;
}

/** Keywords only for structural places, with the API server's word for their absence. */
const STRUCTURAL_ONLY: readonly (readonly [keyword: keyof JsonSchemaProps, state: string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function nestedErrors(schema: JsonSchemaProps, skipAnyOf: boolean, path: string): FieldError[] {
  const errors = valueErrors(schema, { anyOf: skipAnyOf, firstAllOf: false }, path);
  const items = singleItems(schema);
  if (items !== undefined) errors.push(...nestedErrors(items, false, childPath(path, 'items')));
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    errors.push(...nestedErrors(property, false, propertyPath(path, key)));
  for (const [keyword, state] of STRUCTURAL_ONLY) {
    if (keyword === 'default' ? (schema.default ?? undefined) !== undefined : isSet(schema[keyword]))
      errors.push(forbidden(childPath(path, keyword), `must be ${state} to be structural`));
  }
  if (propertyOf(schema, 'metadata') !== undefined)
    errors.push(forbidden(propertyPath(path, 'metadata'), 'must not be specified in a nested context'));
  return errors;
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

/** Whether every field in a schema's `allOf` and the like also exists outside them. */
function branchCompleteness(
  schema: JsonSchemaProps,
  structural: JsonSchemaProps,
  structuralPath: string,
  path: string,
): FieldError[] {
  const errors =
    schema.not === undefined ? [] : nestedCompleteness(schema.not, structural, structuralPath, childPath(path, 'not'));
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[keyword] ?? []).entries()) {
      errors.push(
        ...nestedCompleteness(branch, structural, structuralPath, indexPath(childPath(path, keyword), index)),
      );
    }
  }
  return errors;
}

function nestedCompleteness(
  schema: JsonSchemaProps,
  structural: JsonSchemaProps | undefined,
  structuralPath: string,
  path: string,
): FieldError[] {
  if (structural === undefined) return [required(structuralPath, `because it is defined in ${path}`)];
  const errors = branchCompleteness(schema, structural, structuralPath, path);
  const items = singleItems(schema);
  if (items !== undefined)
    errors.push(
      ...nestedCompleteness(
        items,
        singleItems(structural),
        childPath(structuralPath, 'items'),
        childPath(path, 'items'),
      ),
    );
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    errors.push(
      ...nestedCompleteness(
        property,
        propertyOf(structural, key),
        propertyPath(structuralPath, key),
        propertyPath(path, key),
      ),
    );
  }
  return errors;
}

const propertyPath = (path: string, key: string): string => keyPath(childPath(path, 'properties'), key);

function propertyOf(schema: JsonSchemaProps, key: string): JsonSchemaProps | undefined {
  const properties = schema.properties ?? {};
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}
