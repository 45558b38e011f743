import { field, metaOf, objectField, objectsField, stringField, stringsField, withMeta } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import {
  V1ALPHA1_CLAIMS,
  annotatedList,
  claim1,
  compact,
  identityOf1,
  isForAllVerbs,
  isSameClaim,
  restored,
  withAnnotatedList,
} from './claims.js';
import type { Conversion } from './converted-type.js';

const RESOURCE_SCHEMAS = 'apis.v1alpha2.kcp.io/resource-schemas';
const PERMISSION_CLAIMS = 'apis.v1alpha2.kcp.io/permission-claims';

/** APIExport v1alpha1 ↔ v1alpha2 (spec/api-syncagent.md §3.1). Annotations carry what one version cannot express. */
export const exportConversion: Conversion = { version: 'v1alpha1', fromStored, toStored };

function fromStored(object: JsonObject): JsonObject {
  const spec = objectField(object, 'spec') ?? {};
  const claims = objectsField(spec, 'permissionClaims');
  const resources = objectsField(spec, 'resources');
  const isCrd = (resource: JsonObject): boolean => objectField(objectField(resource, 'storage'), 'crd') !== undefined;
  const before = metaOf(object).annotations ?? {};
  let annotations = withAnnotatedList(
    before,
    RESOURCE_SCHEMAS,
    resources.filter((resource) => !isCrd(resource)),
  );
  annotations = withAnnotatedList(
    annotations,
    PERMISSION_CLAIMS,
    claims.filter((claim) => !isForAllVerbs(claim)).map(canonicalClaim2),
  );
  annotations = withAnnotatedList(annotations, V1ALPHA1_CLAIMS, []);
  return withMeta(
    {
      ...object,
      spec: withoutUndefined({
        ...compact({
          latestResourceSchemas: resources.filter(isCrd).map((resource) => stringField(resource, 'schema')),
        }),
        identity: field(spec, 'identity'),
        maximalPermissionPolicy: field(spec, 'maximalPermissionPolicy'),
        ...compact({ permissionClaims: restored(claims.map(identityOf1), annotatedList(before, V1ALPHA1_CLAIMS)) }),
      }),
      status: objectField(object, 'status') ?? {},
    },
    { annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
  );
}

function toStored(object: JsonObject): JsonObject {
  const spec = objectField(object, 'spec') ?? {};
  const before = metaOf(object).annotations ?? {};
  const claims = objectsField(spec, 'permissionClaims');
  const overhanging = annotatedList(before, PERMISSION_CLAIMS);
  const resources = [
    ...stringsField(spec, 'latestResourceSchemas').map(resourceOfSchema),
    ...annotatedList(before, RESOURCE_SCHEMAS),
  ];
  let annotations = withAnnotatedList(before, V1ALPHA1_CLAIMS, claims.map(claim1));
  annotations = withAnnotatedList(annotations, RESOURCE_SCHEMAS, []);
  annotations = withAnnotatedList(annotations, PERMISSION_CLAIMS, []);
  return withMeta(
    {
      ...object,
      spec: withoutUndefined({
        ...compact({ resources }),
        identity: field(spec, 'identity'),
        maximalPermissionPolicy: field(spec, 'maximalPermissionPolicy'),
        ...compact({ permissionClaims: claims.map((claim) => claim2(claim, overhanging)) }),
      }),
      status: objectField(object, 'status') ?? {},
    },
    { annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
  );
}

function claim2(claim: JsonObject, overhanging: readonly JsonObject[]): JsonObject {
  const kept = overhanging.find((each) => isSameClaim(each, claim));
  const verbs = stringsField(kept, 'verbs');
  return withoutUndefined({
    group: stringField(claim, 'group'),
    resource: field(claim, 'resource'),
    identityHash: stringField(claim, 'identityHash'),
    verbs: verbs.length === 0 ? ['*'] : verbs,
    defaultSelector: field(kept ?? {}, 'defaultSelector'),
  });
}

/** In Go's order, without empty fields. */
export const canonicalClaim2 = (claim: JsonObject): JsonObject =>
  compact({
    group: field(claim, 'group'),
    resource: field(claim, 'resource'),
    verbs: field(claim, 'verbs'),
    identityHash: field(claim, 'identityHash'),
    defaultSelector: field(claim, 'defaultSelector'),
    selector: field(claim, 'selector'),
    state: field(claim, 'state'),
  });

/** The resource in a schema's name, `v1.databases.example.com`. */
export function resourceOfSchema(schema: string): JsonObject {
  const [, name = '', ...rest] = schema.split('.');
  const group = rest.join('.');
  return { group: group === 'core' ? '' : group, name, schema, storage: { crd: {} } };
}

export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
