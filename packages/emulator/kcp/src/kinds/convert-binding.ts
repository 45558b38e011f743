import {
  booleanField,
  field,
  metaOf,
  objectField,
  objectsField,
  stringField,
  stringsField,
  withMeta,
} from '@hawser/apiserver';
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
import { canonicalClaim2, withoutUndefined } from './convert-export.js';
import type { Conversion } from './converted-type.js';

const ACCEPTABLE = 'apis.v1alpha2.kcp.io/acceptable-permission-claims';
const EXPORTED = 'apis.v1alpha2.kcp.io/status-export-permission-claims';
const APPLIED = 'apis.v1alpha2.kcp.io/status-applied-permission-claims';
/** Carried in annotations of the older version. */
const CARRIED = [ACCEPTABLE, EXPORTED, APPLIED];

/** APIBinding v1alpha1 ↔ v1alpha2: like exports, plus selectors. */
export const bindingConversion: Conversion = { version: 'v1alpha1', fromStored, toStored };

const matchesAll = (claim: JsonObject): boolean => booleanField(objectField(claim, 'selector'), 'matchAll');

function fromStored(object: JsonObject): JsonObject {
  const spec = objectField(object, 'spec') ?? {};
  const status = objectField(object, 'status');
  const claims = objectsField(spec, 'permissionClaims');
  const exported = objectsField(status, 'exportPermissionClaims');
  const applied = objectsField(status, 'appliedPermissionClaims');
  const before = metaOf(object).annotations ?? {};
  let annotations = withAnnotatedList(
    before,
    ACCEPTABLE,
    claims.filter((claim) => !isForAllVerbs(claim) || !matchesAll(claim)).map(canonicalClaim2),
  );
  annotations = withAnnotatedList(
    annotations,
    EXPORTED,
    exported.filter((claim) => !isForAllVerbs(claim)).map(canonicalClaim2),
  );
  annotations = withAnnotatedList(
    annotations,
    APPLIED,
    applied.filter((claim) => !isForAllVerbs(claim) || !matchesAll(claim)).map(canonicalClaim2),
  );
  annotations = withAnnotatedList(annotations, V1ALPHA1_CLAIMS, []);
  const scoped = (claim: JsonObject): JsonObject =>
    compact({ ...identityOf1(claim), all: matchesAll(claim), state: field(claim, 'state') });
  return withMeta(
    {
      ...object,
      spec: {
        ...spec,
        ...replaced('permissionClaims', restored(claims.map(scoped), annotatedList(before, V1ALPHA1_CLAIMS))),
      },
      status: withoutUndefined({
        ...status,
        ...replaced('exportPermissionClaims', exported.map(identityOf1)),
        ...replaced('appliedPermissionClaims', applied.map(scoped)),
      }),
    },
    { annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
  );
}

function toStored(object: JsonObject): JsonObject {
  const spec = objectField(object, 'spec') ?? {};
  const status = objectField(object, 'status');
  const before = metaOf(object).annotations ?? {};
  const claims = objectsField(spec, 'permissionClaims');
  const kept = annotatedList(before, ACCEPTABLE);
  let annotations = withAnnotatedList(
    before,
    V1ALPHA1_CLAIMS,
    claims.filter((claim) => objectsField(claim, 'resourceSelector').length > 0).map(claim1),
  );
  for (const key of CARRIED) annotations = withAnnotatedList(annotations, key, []);
  const carried = (key: string): readonly JsonObject[] => annotatedList(before, key);
  return withMeta(
    {
      ...object,
      spec: withoutUndefined({
        ...spec,
        ...replaced(
          'permissionClaims',
          claims.map((claim) => ({ ...scoped2(claim, kept), state: field(claim, 'state') })),
        ),
      }),
      ...(status === undefined
        ? {}
        : {
            status: withoutUndefined({
              ...status,
              ...replaced(
                'exportPermissionClaims',
                objectsField(status, 'exportPermissionClaims').map((claim) => claim2(claim, carried(EXPORTED))),
              ),
              ...replaced(
                'appliedPermissionClaims',
                objectsField(status, 'appliedPermissionClaims').map((claim) => scoped2(claim, carried(APPLIED))),
              ),
            }),
          }),
    },
    { annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
  );
}

const replaced = (key: string, claims: readonly JsonObject[]): JsonObject => ({
  [key]: claims.length === 0 ? undefined : claims,
});

function claim2(claim: JsonObject, carried: readonly JsonObject[]): JsonObject {
  const verbs = stringsField(
    carried.find((each) => isSameClaim(each, claim)),
    'verbs',
  );
  return {
    group: stringField(claim, 'group'),
    resource: field(claim, 'resource'),
    identityHash: stringField(claim, 'identityHash'),
    verbs: verbs.length === 0 ? ['*'] : verbs,
  };
}

const scoped2 = (claim: JsonObject, carried: readonly JsonObject[]): JsonObject => ({
  ...claim2(claim, carried),
  selector: objectField(
    carried.find((each) => isSameClaim(each, claim)),
    'selector',
  ) ?? { matchAll: true },
});
