import {
  anyScalar,
  atomicList,
  atomicStruct,
  boolean,
  held,
  listBy,
  mapOf,
  numeric,
  string,
  struct,
} from './define-type.js';
import { type FieldType, untypedAtomic } from './field-type.js';
import { metadataType } from './metadata-type.js';
import type { MapField } from './field-type.js';

const object = (fields: Readonly<Record<string, FieldType | MapField>>): FieldType =>
  struct({ apiVersion: string, kind: string, metadata: held(metadataType, {}), ...fields });

const strings = atomicList(string);

const objectReference = atomicStruct({
  apiVersion: string,
  fieldPath: string,
  kind: string,
  name: string,
  namespace: string,
  resourceVersion: string,
  uid: string,
});

const selector = atomicStruct({
  matchExpressions: atomicList(struct({ key: string, operator: string, values: strings })),
  matchLabels: mapOf(string),
});

const rules = atomicList(
  struct({ apiGroups: strings, nonResourceURLs: strings, resourceNames: strings, resources: strings, verbs: strings }),
);

const binding = object({
  roleRef: held(atomicStruct({ apiGroup: string, kind: string, name: string }), { apiGroup: '', kind: '', name: '' }),
  subjects: atomicList(atomicStruct({ apiGroup: string, kind: string, name: string, namespace: string })),
});

const names = struct({
  categories: strings,
  kind: held(string, ''),
  listKind: string,
  plural: held(string, ''),
  shortNames: strings,
  singular: string,
});

const definition = object({
  spec: held(
    struct({
      conversion: struct({
        strategy: held(string, ''),
        webhook: struct({ clientConfig: untypedAtomic, conversionReviewVersions: strings }),
      }),
      group: held(string, ''),
      names: held(names, {}),
      preserveUnknownFields: boolean,
      scope: held(string, ''),
      versions: held(atomicList(untypedAtomic), null),
    }),
    {},
  ),
  status: held(
    struct({
      acceptedNames: held(names, {}),
      conditions: held(
        listBy(
          ['type'],
          struct({
            lastTransitionTime: held(anyScalar, null),
            message: string,
            observedGeneration: numeric,
            reason: string,
            status: held(string, ''),
            type: held(string, ''),
          }),
        ),
        null,
      ),
      observedGeneration: numeric,
      storedVersions: held(strings, null),
    }),
    {},
  ),
});

const eventSource = struct({ component: string, host: string });

const series = struct({ count: numeric, lastObservedTime: anyScalar });

const accessAttributes = {
  nonResourceAttributes: struct({ path: string, verb: string }),
  resourceAttributes: struct({
    fieldSelector: untypedAtomic,
    group: string,
    labelSelector: untypedAtomic,
    name: string,
    namespace: string,
    resource: string,
    subresource: string,
    verb: string,
    version: string,
  }),
};

const status = held(untypedAtomic, {});

const subjectAccessReview = object({
  spec: held(struct({ ...accessAttributes, extra: mapOf(strings), groups: strings, uid: string, user: string }), {}),
  status,
});

/** For kinds that are asked, not stored, the answer names the user. */
const reviews: readonly (readonly [string, FieldType])[] = [
  ['authorization.k8s.io/v1/SelfSubjectAccessReview', object({ spec: held(struct(accessAttributes), {}), status })],
  ['authorization.k8s.io/v1/SubjectAccessReview', subjectAccessReview],
  ['authorization.k8s.io/v1/LocalSubjectAccessReview', subjectAccessReview],
  [
    'authentication.k8s.io/v1/TokenReview',
    object({ spec: held(struct({ audiences: strings, token: string }), {}), status }),
  ],
  [
    'authentication.k8s.io/v1/TokenRequest',
    object({
      spec: held(
        struct({
          audiences: held(strings, null),
          boundObjectRef: held(struct({ apiVersion: string, kind: string, name: string, uid: string }), null),
          expirationSeconds: numeric,
        }),
        {},
      ),
      status,
    }),
  ],
];

const types: ReadonlyMap<string, FieldType> = new Map([
  ['v1/Secret', object({ data: mapOf(string), immutable: boolean, stringData: mapOf(string), type: string })],
  ['v1/ConfigMap', object({ binaryData: mapOf(string), data: mapOf(string), immutable: boolean })],
  [
    'v1/Namespace',
    object({
      spec: held(struct({ finalizers: strings }), {}),
      status: held(
        struct({
          conditions: listBy(
            ['type'],
            struct({
              lastTransitionTime: held(anyScalar, null),
              message: string,
              reason: string,
              status: held(string, ''),
              type: held(string, ''),
            }),
          ),
          phase: string,
        }),
        {},
      ),
    }),
  ],
  [
    'v1/ServiceAccount',
    object({
      automountServiceAccountToken: boolean,
      imagePullSecrets: atomicList(atomicStruct({ name: string })),
      secrets: listBy(['name'], objectReference),
    }),
  ],
  [
    'v1/Event',
    object({
      action: string,
      count: numeric,
      eventTime: held(anyScalar, null),
      firstTimestamp: held(anyScalar, null),
      involvedObject: held(objectReference, {}),
      lastTimestamp: held(anyScalar, null),
      message: string,
      reason: string,
      related: objectReference,
      reportingComponent: held(string, ''),
      reportingInstance: held(string, ''),
      series,
      source: held(eventSource, {}),
      type: string,
    }),
  ],
  [
    'events.k8s.io/v1/Event',
    object({
      action: string,
      deprecatedCount: numeric,
      deprecatedFirstTimestamp: held(anyScalar, null),
      deprecatedLastTimestamp: held(anyScalar, null),
      deprecatedSource: held(eventSource, {}),
      eventTime: held(anyScalar, null),
      note: string,
      reason: string,
      regarding: held(objectReference, {}),
      related: objectReference,
      reportingController: string,
      reportingInstance: string,
      series,
      type: string,
    }),
  ],
  [
    'coordination.k8s.io/v1/Lease',
    object({
      spec: held(
        struct({
          acquireTime: anyScalar,
          holderIdentity: string,
          leaseDurationSeconds: numeric,
          leaseTransitions: numeric,
          preferredHolder: string,
          renewTime: anyScalar,
          strategy: string,
        }),
        {},
      ),
    }),
  ],
  ['rbac.authorization.k8s.io/v1/Role', object({ rules: held(rules, null) })],
  [
    'rbac.authorization.k8s.io/v1/ClusterRole',
    object({ aggregationRule: struct({ clusterRoleSelectors: atomicList(selector) }), rules: held(rules, null) }),
  ],
  ['rbac.authorization.k8s.io/v1/RoleBinding', binding],
  ['rbac.authorization.k8s.io/v1/ClusterRoleBinding', binding],
  ['apiextensions.k8s.io/v1/CustomResourceDefinition', definition],
  ...reviews,
]);

/**
 * The type of a built-in kind: Kubernetes' own OpenAPI, for the kinds listed in the README. `undefined` for any other.
 */
export function builtInType(apiVersion: string, kind: string): FieldType | undefined {
  return types.get(`${apiVersion}/${kind}`);
}
