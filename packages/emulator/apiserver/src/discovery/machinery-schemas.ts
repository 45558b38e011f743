import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { isArray, stringField } from '../object/json.js';

const prefix = '#/components/schemas/';

export const ref = (name: string): JsonObject => ({ $ref: `${prefix}${name}` });
export const meta = (kind: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;

const text: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer', format: 'int64' };
const texts: JsonObject = { type: 'object', additionalProperties: { type: 'string', default: '' } };
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const typed = { apiVersion: text, kind: text };

/** Schemas shared by all kinds, by their names in Kubernetes' OpenAPI. */
export const machinerySchemas: Readonly<Record<string, JsonObject>> = {
  [meta('ObjectMeta')]: object({
    annotations: texts,
    creationTimestamp: ref(meta('Time')),
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: ref(meta('Time')),
    finalizers: list(text, { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' }),
    generateName: text,
    generation: integer,
    labels: texts,
    managedFields: list(ref(meta('ManagedFieldsEntry')), { 'x-kubernetes-list-type': 'atomic' }),
    name: text,
    namespace: text,
    ownerReferences: list(ref(meta('OwnerReference')), {
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    }),
    resourceVersion: text,
    selfLink: text,
    uid: text,
  }),
  [meta('OwnerReference')]: object(
    { ...typed, blockOwnerDeletion: { type: 'boolean' }, controller: { type: 'boolean' }, name: text, uid: text },
    { required: ['apiVersion', 'kind', 'name', 'uid'], 'x-kubernetes-map-type': 'atomic' },
  ),
  [meta('ManagedFieldsEntry')]: object({
    apiVersion: text,
    fieldsType: text,
    fieldsV1: ref(meta('FieldsV1')),
    manager: text,
    operation: text,
    subresource: text,
    time: ref(meta('Time')),
  }),
  [meta('FieldsV1')]: { type: 'object' },
  [meta('Time')]: { type: 'string', format: 'date-time' },
  [meta('ListMeta')]: object({ continue: text, remainingItemCount: integer, resourceVersion: text, selfLink: text }),
  [meta('Patch')]: { type: 'object' },
  [meta('DeleteOptions')]: object({
    ...typed,
    dryRun: list(text, { 'x-kubernetes-list-type': 'atomic' }),
    gracePeriodSeconds: integer,
    ignoreStoreReadErrorWithClusterBreakingPotential: { type: 'boolean' },
    orphanDependents: { type: 'boolean' },
    preconditions: ref(meta('Preconditions')),
    propagationPolicy: text,
  }),
  [meta('Preconditions')]: object({ resourceVersion: text, uid: text }),
  [meta('Status')]: object(
    {
      ...typed,
      code: { type: 'integer', format: 'int32' },
      details: ref(meta('StatusDetails')),
      message: text,
      metadata: ref(meta('ListMeta')),
      reason: text,
      status: text,
    },
    { 'x-kubernetes-group-version-kind': [{ group: '', kind: 'Status', version: 'v1' }] },
  ),
  [meta('StatusDetails')]: object({
    causes: list(ref(meta('StatusCause')), { 'x-kubernetes-list-type': 'atomic' }),
    group: text,
    kind: text,
    name: text,
    retryAfterSeconds: { type: 'integer', format: 'int32' },
    uid: text,
  }),
  [meta('StatusCause')]: object({ field: text, message: text, reason: text }),
  'io.k8s.api.autoscaling.v1.Scale': object(
    {
      ...typed,
      metadata: ref(meta('ObjectMeta')),
      spec: ref('io.k8s.api.autoscaling.v1.ScaleSpec'),
      status: ref('io.k8s.api.autoscaling.v1.ScaleStatus'),
    },
    { 'x-kubernetes-group-version-kind': [{ group: 'autoscaling', kind: 'Scale', version: 'v1' }] },
  ),
  'io.k8s.api.autoscaling.v1.ScaleSpec': object({ replicas: { type: 'integer', format: 'int32' } }),
  'io.k8s.api.autoscaling.v1.ScaleStatus': object(
    { replicas: { type: 'integer', format: 'int32' }, selector: text },
    { required: ['replicas'] },
  ),
};

/** Schemas that a value refers to, directly or indirectly. */
export function referenced(
  value: JsonValue,
  schemas: Readonly<Record<string, JsonObject>>,
): Readonly<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  const visit = (each: JsonValue | undefined): void => {
    if (isArray(each)) each.forEach(visit);
    if (!isObject(each)) return;
    const name = stringField(each, '$ref').slice(prefix.length);
    const schema = schemas[name];
    if (schema !== undefined && found[name] === undefined) {
      found[name] = schema;
      visit(schema);
    }
    Object.values(each).forEach(visit);
  };
  visit(value);
  return found;
}
