import type { JsonObject, JsonValue } from '@hawser/json';
import { FieldSet, type TrackedType, builtInType, customResourceType } from '../index.js';
import { exampleSchema } from './example-schema.js';
import type { Endpoint } from './expected-answer.js';

/** A CRD of {@link exampleSchema}, with a status subresource. */
export function exampleDefinition(group: string): JsonObject {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: exampleSchema as JsonObject },
    subresources: { status: {} },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
}

export function exampleEndpoint(group: string, name: string): Endpoint {
  const apiVersion = `${group}/v1`;
  const type = customResourceType(exampleSchema);
  const typeOf: TrackedType['typeOf'] = (version) => (version === apiVersion ? type : undefined);
  const main: TrackedType = { typeOf, resetFields: () => FieldSet.fields(['status']) };
  const status: TrackedType = { typeOf, resetFields: () => FieldSet.fields(['metadata'], ['spec']) };
  return {
    apiVersion,
    kind: 'Thing',
    name,
    tracked: (subresource) => (subresource === 'status' ? status : main),
    defaults: (object) => cleanTemplate(defaultProtocols(cleanMetadata(object))),
    prepare,
  };
}

function defaultProtocols(object: JsonObject): JsonObject {
  const { spec } = object as { spec?: JsonObject };
  if (spec?.['ports'] === undefined || spec['ports'] === null) return object;
  const ports = (spec['ports'] as readonly JsonObject[]).map((port) => ({ protocol: 'TCP', ...port }));
  return { ...object, spec: { ...spec, ports } };
}

/** Metadata of embedded objects passes through Go's type too. */
function cleanTemplate(object: JsonObject): JsonObject {
  const { spec } = object as { spec?: JsonObject };
  const template = spec?.['template'] as JsonObject | null | undefined;
  return template?.['metadata'] === undefined || template['metadata'] === null
    ? object
    : { ...object, spec: { ...spec, template: cleanMetadata(template) } };
}

/** The main endpoint ignores the status, and the status endpoint everything else. */
function prepare(object: JsonObject, live: JsonObject | undefined, subresource: string | undefined): JsonObject {
  const { status, ...rest } = object;
  if (subresource === undefined) return live?.['status'] === undefined ? rest : { ...rest, status: live['status'] };
  const { managedFields } = object['metadata'] as JsonObject;
  const kept: JsonObject = { ...live, metadata: { ...(live?.['metadata'] as JsonObject), managedFields } };
  if (status !== undefined) return { ...kept, status };
  return Object.fromEntries(Object.entries(kept).filter(([key]) => key !== 'status'));
}

function builtIn(
  apiVersion: string,
  kind: string,
  name: string,
  normalize: (object: JsonObject) => JsonObject,
): Endpoint {
  const tracked: TrackedType = { typeOf: (version) => builtInType(version, kind) };
  return { apiVersion, kind, name, tracked: () => tracked, defaults: normalize, prepare: (object) => object };
}

/** Built-in objects pass through Go's types, which omit empty fields. */
function withoutEmpty(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== undefined && !(names.includes(key) && isEmpty(value))),
  );
}

const isEmpty = (value: JsonValue): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const cleanMetadata = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: withoutEmpty(object['metadata'] as JsonObject, ['labels', 'annotations', 'finalizers', 'ownerReferences']),
});

export const configMapEndpoint = (name: string): Endpoint =>
  builtIn('v1', 'ConfigMap', name, (object) => withoutEmpty(cleanMetadata(object), ['data', 'binaryData']));

export const secretEndpoint = (name: string): Endpoint =>
  builtIn('v1', 'Secret', name, (object) => ({ type: 'Opaque', ...withoutEmpty(cleanMetadata(object), ['data']) }));

export const roleEndpoint = (name: string): Endpoint =>
  builtIn('rbac.authorization.k8s.io/v1', 'Role', name, (object) => ({ rules: null, ...cleanMetadata(object) }));
