import type { FieldError } from '@hawser/schema';
import type { JsonObject } from '@hawser/json';
import { invalid, invalidObject } from '../object/invalid.js';
import { isArray, objectField, stringField, stringsField, withoutFields } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import type { AuthorizationAttributes, ServerHost, UserInfo, VirtualRequest, VirtualResource } from '../parts.js';
import { badRequest } from '../status.js';

const group = 'authorization.k8s.io';

/** SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview: whether a user may do something. */
export function accessReviews(host: ServerHost): readonly VirtualResource[] {
  const review = (
    kind: string,
    namespaced: boolean,
    create: (request: VirtualRequest) => JsonObject,
  ): VirtualResource => ({ group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced, create });
  return [
    review('SelfSubjectAccessReview', false, ({ user, body }) => answer(host, 'SelfSubjectAccessReview', body, user)),
    review('SubjectAccessReview', false, ({ body }) => answer(host, 'SubjectAccessReview', body, subjectOf(body))),
    review('LocalSubjectAccessReview', true, ({ body, info }) => {
      const inBody = stringField(metaOf(body), 'namespace');
      const result = answer(host, 'LocalSubjectAccessReview', body, subjectOf(body));
      if (inBody !== info.namespace)
        throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${info.namespace}`);
      return result;
    }),
  ];
}

type ReviewKind = 'SelfSubjectAccessReview' | 'SubjectAccessReview' | 'LocalSubjectAccessReview';

function answer(host: ServerHost, kind: ReviewKind, body: JsonObject, user: UserInfo): JsonObject {
  const spec = objectField(body, 'spec') ?? {};
  const errors = problems(kind, body, spec);
  // The server itself omits the kind.
  if (errors.length > 0) throw invalidObject({ group, kind: '' }, '', errors);
  const { allowed, reason } = host.authorize(attributesOf(spec, user));
  const metadata = objectField(body, 'metadata') ?? {};
  return { kind, apiVersion: `${group}/v1`, metadata, spec, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function subjectOf(body: JsonObject): UserInfo {
  const spec = objectField(body, 'spec');
  const extra = Object.fromEntries(
    Object.entries(objectField(spec, 'extra') ?? {}).map(([key, values]) => [
      key,
      isArray(values) ? values.filter((value) => typeof value === 'string') : [],
    ]),
  );
  return {
    name: stringField(spec, 'user'),
    uid: stringField(spec, 'uid'),
    groups: stringsField(spec, 'groups'),
    extra,
  };
}

function attributesOf(spec: JsonObject, user: UserInfo): AuthorizationAttributes {
  const resource = objectField(spec, 'resourceAttributes');
  const other = objectField(spec, 'nonResourceAttributes');
  return {
    user,
    verb: stringField(resource ?? other, 'verb'),
    isResourceRequest: resource !== undefined,
    path: stringField(other, 'path'),
    namespace: stringField(resource, 'namespace'),
    apiGroup: stringField(resource, 'group'),
    apiVersion: stringField(resource, 'version') === '' ? '*' : stringField(resource, 'version'),
    resource: stringField(resource, 'resource'),
    subresource: stringField(resource, 'subresource'),
    name: stringField(resource, 'name'),
  };
}

function problems(kind: ReviewKind, body: JsonObject, spec: JsonObject): FieldError[] {
  const resource = objectField(spec, 'resourceAttributes');
  const other = objectField(spec, 'nonResourceAttributes');
  const errors: FieldError[] = [];
  if (resource !== undefined && other !== undefined)
    errors.push(
      invalid(
        'spec.nonResourceAttributes',
        internal(other),
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  if (resource === undefined && other === undefined)
    errors.push(
      invalid(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  if (
    kind !== 'SelfSubjectAccessReview' &&
    stringField(spec, 'user') === '' &&
    stringsField(spec, 'groups').length === 0
  )
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  const metadata = withoutFields(
    metaOf(body),
    'managedFields',
    ...(kind === 'LocalSubjectAccessReview' ? ['namespace'] : []),
  );
  if (Object.values(metadata).some((value) => value !== null))
    errors.push(
      invalid(
        'metadata',
        metaOf(body),
        kind === 'LocalSubjectAccessReview' ? 'must be empty except for namespace' : 'must be empty',
      ),
    );
  if (kind !== 'LocalSubjectAccessReview') return errors;
  const namespace = stringField(resource, 'namespace');
  if (resource !== undefined && namespace !== stringField(metaOf(body), 'namespace'))
    errors.push(invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  if (other !== undefined)
    errors.push(invalid('spec.nonResourceAttributes', internal(other), 'disallowed on this kind of request'));
  return errors;
}

/** Like Go's internal type, which has no JSON names. */
function internal(nonResourceAttributes: JsonObject): JsonObject {
  return { Path: stringField(nonResourceAttributes, 'path'), Verb: stringField(nonResourceAttributes, 'verb') };
}
