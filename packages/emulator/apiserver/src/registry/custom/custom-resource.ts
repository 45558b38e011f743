import { type JsonObject, clone } from '@hawser/json';
import { type CompiledSchema, compileSchema, formatFieldError } from '@hawser/schema';
import { type PrinterColumn, customTable } from '@hawser/table';
import { FieldSet, type Path, type TrackedType, customResourceType, fieldPath } from '../../server-side-apply/index.js';
import { DecodeError } from '../../object/decode-error.js';
import { apiVersionOf, inVersion } from '../../object/meta.js';
import { ManagedFields } from '../managed-fields.js';
import type { Codec, ResourceType, ServedVersion, Subresource } from '../resource-type.js';
import { customFieldLabels } from '../selectable-fields.js';
import { numberField, stringField } from '../../object/json.js';
import type { Definition, DefinitionVersion } from './definition.js';
import { compileRules, noRules } from './rules.js';
import { ScaleOwnership } from './scale-ownership.js';
import { type CustomResourceOptions, customStatusStrategy, customStrategy, splitPath } from './strategy.js';
import { compareVersions } from './version-order.js';

/** The resource of a CRD. Versions differ only in schema and `apiVersion`: there is no conversion. */
export function customResource(definition: Definition): ResourceType {
  const { group, names } = definition;
  const schemas = new Map(definition.versions.map((version) => [version.name, compile(definition, version)]));
  const storage = schemas.get(definition.storageVersion);
  const versions = [...definition.versions].sort((a, b) => compareVersions(a.name, b.name));
  const path = `${group}/${names.plural}`;
  return {
    group,
    resource: names.plural,
    singular: names.singular,
    kind: names.kind,
    listKind: names.listKind,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced: definition.namespaced,
    bucket: path,
    storagePath: `/registry/${path}`,
    storageVersion: definition.storageVersion,
    versions: versions
      .filter((version) => version.served || version.storage)
      .map((version) => servedVersion(definition, version, schemas.get(version.name), storage)),
    garbageCollection: 'background',
    returnsDeletedObject: false,
    custom: true,
  };
}

function compile(definition: Definition, { schema }: DefinitionVersion): CompiledSchema | undefined {
  return schema === undefined || definition.preserveUnknownFields ? undefined : compileSchema(schema);
}

function servedVersion(
  definition: Definition,
  version: DefinitionVersion,
  schema: CompiledSchema | undefined,
  storage: CompiledSchema | undefined,
): ServedVersion {
  const { group, names, namespaced } = definition;
  const apiVersion = apiVersionOf(group, version.name);
  const options: CustomResourceOptions = {
    apiVersion,
    kind: names.kind,
    namespaced,
    schema,
    rules: schema === undefined ? noRules : compileRules(version.schema ?? {}),
    status: version.status,
    scale: version.scale,
  };
  const main = version.status
    ? tracked(definition, (each) => each.status, ['status'])
    : tracked(definition, () => false);
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind,
    served: version.served,
    deprecated: version.deprecated,
    deprecationWarning: version.deprecated
      ? (version.deprecationWarning ?? defaultWarning(definition, version))
      : undefined,
    schema: version.schema,
    definition: undefined,
    codec: customCodec(definition, version.name, schema, storage),
    strategy: customStrategy(options),
    subresources: subresourcesOf(definition, version, options),
    selectableFields: version.selectableFields,
    fields: customFieldLabels(namespaced, version.selectableFields),
    table: customTable(version.columns.map(printerColumn)),
    ownership: new ManagedFields({ tracked: main, apiVersion, kind: names.kind, subresource: '' }),
  };
}

function subresourcesOf(
  definition: Definition,
  { status, scale }: DefinitionVersion,
  options: CustomResourceOptions,
): ReadonlyMap<string, Subresource> {
  const { apiVersion, kind } = options;
  const subresources = new Map<string, Subresource>();
  if (status) {
    const statusTracked = tracked(definition, (each) => each.status, ['metadata'], ['spec']);
    subresources.set('status', {
      kind: 'object',
      name: 'status',
      strategy: customStatusStrategy(options),
      verbs: ['get', 'patch', 'update'],
      ownership: new ManagedFields({ tracked: statusTracked, apiVersion, kind, subresource: 'status' }),
    });
  }
  if (scale !== undefined)
    subresources.set('scale', {
      kind: 'scale',
      name: 'scale',
      paths: scale,
      ownership: new ScaleOwnership(apiVersion, replicasPaths(definition)),
      verbs: ['get', 'patch', 'update'],
    });
  return subresources;
}

const printerColumn = (column: JsonObject): PrinterColumn => ({
  name: stringField(column, 'name'),
  type: stringField(column, 'type'),
  format: stringField(column, 'format'),
  description: stringField(column, 'description'),
  priority: numberField(column, 'priority'),
  jsonPath: stringField(column, 'jsonPath'),
});

function replicasPaths({ group, versions }: Definition): ReadonlyMap<string, Path | undefined> {
  return new Map(
    versions.map(({ name, scale }) => [
      apiVersionOf(group, name),
      scale === undefined ? undefined : fieldPath(...splitPath(scale.specReplicasPath)),
    ]),
  );
}

/**
 * Field tracking for all versions; `reset`: fields that this endpoint lets no manager own, in the versions that have
 * them.
 */
function tracked(
  definition: Definition,
  has: (version: DefinitionVersion) => boolean,
  ...reset: readonly (readonly string[])[]
): TrackedType {
  const types = new Map(
    definition.versions.map((version) => [
      apiVersionOf(definition.group, version.name),
      { version, type: customResourceType(version.schema, definition) },
    ]),
  );
  const fields = FieldSet.fields(...reset);
  return {
    typeOf: (apiVersion) => types.get(apiVersion)?.type,
    goneVersions: 'refuse',
    resetFields(apiVersion) {
      const version = types.get(apiVersion)?.version;
      return version !== undefined && has(version) ? fields : undefined;
    },
  };
}

function customCodec(
  definition: Definition,
  version: string,
  schema: CompiledSchema | undefined,
  storage: CompiledSchema | undefined,
): Codec {
  const apiVersion = apiVersionOf(definition.group, version);
  const storageApiVersion = apiVersionOf(definition.group, definition.storageVersion);
  const views = new WeakMap<JsonObject, JsonObject>();
  const view = (stored: JsonObject): JsonObject => {
    const known = views.get(stored);
    if (known !== undefined) return known;
    // An object stored under another schema is read with the current one: pruned and defaulted.
    const read = clone(stored);
    storage?.admit(read, { dropInvalid: true });
    if (apiVersion === storageApiVersion) return remember(stored, read);
    return remember(stored, converted(inVersion(read, apiVersion), schema));
  };
  const remember = (stored: JsonObject, read: JsonObject): JsonObject => {
    views.set(stored, read);
    return read;
  };
  return {
    decode(document, options = {}) {
      const object = clone(document);
      if (schema === undefined) return { object, unknownFields: [] };
      const { unknownFields, error } = schema.admit(object, { keepNulls: options.keepNulls });
      if (error !== undefined)
        throw new DecodeError(error.path === 'metadata' ? error.detail : formatFieldError(error));
      return { object, unknownFields };
    },
    fromStorage: (object) => view(object),
    ...(apiVersion === storageApiVersion
      ? {
          written: (stored: JsonObject) => {
            views.set(stored, stored);
          },
        }
      : {}),
    toStorage(object) {
      const stored = inVersion(object, storageApiVersion);
      return apiVersion === storageApiVersion ? stored : converted(clone(stored), storage);
    },
  };
}

/** An object of another version loses the fields that this one lacks, and gets none of its defaults. */
function converted(object: JsonObject, schema: CompiledSchema | undefined): JsonObject {
  schema?.prune(object);
  schema?.dropNulls(object);
  schema?.coerceMetadata(object, { dropInvalid: true });
  return object;
}

function defaultWarning(definition: Definition, version: DefinitionVersion): string {
  const { group, names } = definition;
  const newer = definition.versions.filter(
    (other) => other.served && !other.deprecated && compareVersions(other.name, version.name) < 0,
  );
  const [best] = newer.map((other) => other.name).sort(compareVersions);
  const warning = `${group}/${version.name} ${names.kind} is deprecated`;
  return best === undefined ? warning : `${warning}; use ${group}/${best} ${names.kind}`;
}
