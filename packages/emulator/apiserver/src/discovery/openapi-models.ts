import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import type { ResourceInfo } from '../parts.js';
import { meta, ref } from './machinery-schemas.js';

/**
 * Schema name of a kind: reversed group, version, kind (kube-openapi `util.ToRESTFriendlyName`); built-in ones by their
 * package.
 */
export function modelName({ group, version, builtIn }: ResourceInfo, kind: string): string {
  if (!builtIn) return [...group.split('.').reverse(), version, kind].join('.');
  if (group === 'apiextensions.k8s.io')
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  return `io.k8s.api.${group === '' ? 'core' : (group.split('.')[0] ?? group)}.${version}.${kind}`;
}

const metadata: JsonObject = { description: 'Standard metadata of an object.', allOf: [ref(meta('ObjectMeta'))] };
const apiVersion: JsonObject = { description: 'Version of the API in which the object is written.', type: 'string' };
const kind: JsonObject = { description: 'What the object is.', type: 'string' };

/** Schema of one object. */
export function kindSchema(resource: ResourceInfo): JsonObject {
  const gvk = { 'x-kubernetes-group-version-kind': [gvkOf(resource, resource.kind)] };
  const selectable = selectableFields(resource);
  if (resource.schema === undefined) return { type: 'object', ...gvk, ...selectable };
  const schema = embedded(resource.schema);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const own =
    resource.verbs.includes('list') || 'metadata' in properties
      ? { ...properties, apiVersion, kind, metadata }
      : { ...properties, apiVersion, kind };
  return { ...schema, properties: own, ...gvk, ...selectable };
}

/** Schema of a list of them. */
export function listSchema(resource: ResourceInfo): JsonObject {
  return {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      kind,
      items: {
        description: `List of ${resource.resource}.`,
        type: 'array',
        items: ref(modelName(resource, resource.kind)),
      },
      metadata: { description: 'Standard metadata of a list.', allOf: [ref(meta('ListMeta'))] },
    },
    'x-kubernetes-group-version-kind': [gvkOf(resource, resource.listKind)],
    ...selectableFields(resource),
  };
}

export function gvkOf(
  { group, version }: { readonly group: string; readonly version: string },
  kindName: string,
): JsonObject {
  return { group, kind: kindName, version };
}

function selectableFields({ builtIn, selectableFields: paths }: ResourceInfo): JsonObject {
  return builtIn || paths.length === 0
    ? {}
    : { 'x-kubernetes-selectable-fields': paths.map((path) => ({ fieldPath: path.replace(/^\./, '') })) };
}

/** Embedded objects have their own type and metadata. */
function embedded(schema: JsonSchemaProps): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...(schema as JsonObject) };
  if (schema.properties !== undefined)
    result['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, embedded(property)]),
    );
  if (schema.items !== undefined) result['items'] = embedded(schema.items);
  if (typeof schema.additionalProperties === 'object')
    result['additionalProperties'] = embedded(schema.additionalProperties);
  if (schema['x-kubernetes-embedded-resource'] !== true) return result;
  const required = [
    ...(schema.required ?? []),
    ...['kind', 'apiVersion'].filter((name) => schema.required?.includes(name) !== true),
  ];
  return {
    ...result,
    required,
    properties: { ...(result['properties'] as JsonObject | undefined), apiVersion, kind, metadata },
  };
}
