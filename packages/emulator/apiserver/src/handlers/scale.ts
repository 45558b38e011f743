import type { JsonObject, JsonValue } from '@hawser/json';
import { decodeTyped } from '../registry/builtin/typed.js';
import { nested, splitPath } from '../registry/custom/strategy.js';
import type { Codec, ScalePaths, ServedVersion } from '../registry/resource-type.js';
import { defaultTable } from '../registry/table.js';
import { fieldLabels } from '../registry/selectable-fields.js';
import { numberField, objectField, withAt } from '../object/json.js';
import { metaOf, withMeta } from '../object/meta.js';
import { badRequest, internalError } from '../status.js';

const SCALE_DEFINITION = 'io.k8s.api.autoscaling.v1.Scale';
/** Placeholder for unset replicas while a patch is applied. */
const UNSET = -2147483648;

/** `autoscaling/v1` Scale as a view of an object. */
export function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const replicas = integer(nested(object, paths.specReplicasPath));
  if (replicas === undefined)
    throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  return scaleWith(object, paths, replicas);
}

/** The same for a patch: replicas may be absent. */
export function scaleForUpdate(object: JsonObject, paths: ScalePaths): JsonObject {
  return scaleWith(object, paths, integer(nested(object, paths.specReplicasPath)) ?? UNSET);
}

function scaleWith(object: JsonObject, paths: ScalePaths, replicas: number): JsonObject {
  const meta = metaOf(object);
  const selector = paths.labelSelectorPath === undefined ? '' : nested(object, paths.labelSelectorPath);
  const status: Record<string, JsonValue> = { replicas: integer(nested(object, paths.statusReplicasPath)) ?? 0 };
  if (typeof selector === 'string' && selector !== '') status['selector'] = selector;
  const metadata: Record<string, JsonValue | undefined> = {
    name: meta.name,
    namespace: meta.namespace,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    creationTimestamp: meta.creationTimestamp,
  };
  if (meta.namespace === undefined) Reflect.deleteProperty(metadata, 'namespace');
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata, spec: { replicas }, status };
}

/** Applies a scale's replicas and precondition to the object. */
export function withScale(object: JsonObject, scale: JsonObject, paths: ScalePaths): JsonObject {
  const replicas = numberField(objectField(scale, 'spec'), 'replicas') ?? 0;
  if (replicas === UNSET)
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} cannot be empty`);
  const scaled = withAt(object, splitPath(paths.specReplicasPath), replicas);
  const { resourceVersion } = metaOf(scale);
  return resourceVersion === undefined || resourceVersion === '' ? scaled : withMeta(scaled, { resourceVersion });
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value)
    ? value
    : typeof value === 'bigint'
      ? Number(value)
      : undefined;
}

const scaleCodec: Codec = {
  decode(document) {
    const { object, unknownFields } = decodeTyped(SCALE_DEFINITION, document);
    return { object: { spec: { replicas: 0 }, status: { replicas: 0 }, ...object }, unknownFields };
  },
  fromStorage: (object) => object,
  toStorage: (object) => object,
};

/** How to decode the body of a scale request. */
export function scaleVersion(version: ServedVersion): ServedVersion {
  return {
    ...version,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    listKind: 'ScaleList',
    codec: scaleCodec,
    schema: undefined,
    definition: SCALE_DEFINITION,
    subresources: new Map(),
    fields: fieldLabels({ namespaced: true }),
    table: defaultTable,
  };
}
