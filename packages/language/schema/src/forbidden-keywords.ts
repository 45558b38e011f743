import type { JsonSchemaProps } from './json-schema-props.js';

/** JSON Schema keywords in the type of a CRD's schema that no CRD may use. */
export interface ForbiddenKeywords {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>>;
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | readonly string[]>>;
  readonly additionalItems?: JsonSchemaProps | boolean;
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>>;
}

export const withForbidden = (schema: JsonSchemaProps): JsonSchemaProps & ForbiddenKeywords => schema;

/** `items` as one schema; `undefined` for a list of them, which a CRD cannot have. */
export const singleItems = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  Array.isArray(schema.items) ? undefined : (schema.items ?? undefined);

export const itemsList = (schema: JsonSchemaProps): readonly JsonSchemaProps[] =>
  Array.isArray(schema.items) ? (schema.items as readonly JsonSchemaProps[]) : [];

export const additionalSchema = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;

const size = (object: object | undefined | null): number =>
  object === undefined || object === null ? 0 : Object.keys(object).length;

/**
 * Why a schema cannot be read as structural at all: the first reason in it or below it. The API server shows this
 * message only if nothing else is wrong.
 */
export function structuralObstacle(schema: JsonSchemaProps): string | undefined {
  const { id, $schema, $ref, patternProperties, dependencies, additionalItems, definitions } = withForbidden(schema);
  const unsupported = (keyword: string): string => `OpenAPIV3Schema '${keyword}' is not supported`;
  if ((id ?? '') !== '') return unsupported('id');
  if (($schema ?? '') !== '') return unsupported('schema');
  if (($ref ?? '') !== '') return unsupported('$ref');
  if (size(patternProperties) > 0) return unsupported('patternProperties');
  if (size(dependencies) > 0) return unsupported('dependencies');
  if (additionalItems !== undefined) return unsupported('additionalItems');
  if (size(definitions) > 0) return unsupported('definitions');
  for (const branch of branchesOf(schema)) {
    const obstacle = structuralObstacle(branch);
    if (obstacle !== undefined) return obstacle;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (itemsList(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const below of structuralChildren(schema)) {
    const obstacle = structuralObstacle(below);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** The schemas of `allOf` and the like. */
function branchesOf(schema: JsonSchemaProps): readonly JsonSchemaProps[] {
  const { not, allOf, anyOf, oneOf } = schema;
  if (not === undefined && allOf === undefined && anyOf === undefined && oneOf === undefined) return NONE;
  return [...(not === undefined ? NONE : [not]), ...(allOf ?? NONE), ...(anyOf ?? NONE), ...(oneOf ?? NONE)];
}

const NONE: readonly JsonSchemaProps[] = [];

/** The schemas of fields and items. */
function structuralChildren(schema: JsonSchemaProps): readonly JsonSchemaProps[] {
  const items = singleItems(schema);
  const additional = additionalSchema(schema);
  if (items === undefined && additional === undefined)
    return schema.properties === undefined ? NONE : Object.values(schema.properties);
  return [
    ...(items === undefined ? NONE : [items]),
    ...Object.values(schema.properties ?? {}),
    ...(additional === undefined ? NONE : [additional]),
  ];
}

/** Whether a predicate holds for a schema or any nested one. */
export function someSchema(schema: JsonSchemaProps, holds: (schema: JsonSchemaProps) => boolean): boolean {
  if (holds(schema)) return true;
  const some = (below: readonly JsonSchemaProps[]): boolean => below.some((inner) => someSchema(inner, holds));
  if (some(structuralChildren(schema)) || some(branchesOf(schema)) || some(itemsList(schema))) return true;
  const { patternProperties, definitions } = withForbidden(schema);
  return some(Object.values(patternProperties ?? {})) || some(Object.values(definitions ?? {}));
}
