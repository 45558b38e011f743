import type { OpenApiSchema } from './openapi-schema.js';

/**
 * Scalars that are pointers in Go: unset and zero differ, so a written zero stays. By definition (last part of its
 * name).
 */
const pointers: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['immutable'],
  Secret: ['immutable'],
  ServiceAccount: ['automountServiceAccountToken'],
  OwnerReference: ['controller', 'blockOwnerDeletion'],
  ObjectMeta: ['deletionGracePeriodSeconds'],
  LeaseSpec: ['holderIdentity', 'leaseDurationSeconds', 'leaseTransitions', 'strategy', 'preferredHolder'],
  TokenRequestSpec: ['expirationSeconds'],
  DeleteOptions: [
    'gracePeriodSeconds',
    'orphanDependents',
    'propagationPolicy',
    'ignoreStoreReadErrorWithClusterBreakingPotential',
  ],
  Preconditions: ['uid', 'resourceVersion'],
  JSONSchemaProps: [
    'maximum',
    'minimum',
    'multipleOf',
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxProperties',
    'minProperties',
    '$ref',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-list-type',
    'x-kubernetes-map-type',
  ],
  CustomResourceDefinitionVersion: ['deprecationWarning'],
  CustomResourceSubresourceScale: ['labelSelectorPath'],
  ValidationRule: ['reason', 'optionalOldSelf'],
  ServiceReference: ['path', 'port'],
  WebhookClientConfig: ['url'],
};

/** Structs that are pointers in Go: absent unless written. All others always exist. */
const pointerStructs: Readonly<Record<string, readonly string[]>> = {
  CustomResourceDefinitionVersion: ['schema', 'subresources'],
  CustomResourceSubresources: ['status', 'scale'],
  CustomResourceValidation: ['openAPIV3Schema'],
  CustomResourceDefinitionSpec: ['conversion'],
  CustomResourceConversion: ['webhook'],
  WebhookConversion: ['clientConfig'],
  WebhookClientConfig: ['service'],
  JSONSchemaProps: ['not', 'externalDocs'],
  ClusterRole: ['aggregationRule'],
  Event: ['series', 'related'],
  DeleteOptions: ['preconditions'],
  TokenRequestSpec: ['boundObjectRef'],
  SubjectAccessReviewSpec: ['resourceAttributes', 'nonResourceAttributes'],
  SelfSubjectAccessReviewSpec: ['resourceAttributes', 'nonResourceAttributes'],
  ResourceAttributes: ['fieldSelector', 'labelSelector'],
};

/** Named types of strings, as Go prints them. */
const named: Readonly<Record<string, string>> = {
  'ObjectMeta.uid': 'types.UID',
  'OwnerReference.uid': 'types.UID',
  'ObjectReference.uid': 'types.UID',
  'Preconditions.uid': 'types.UID',
  'Secret.type': 'v1.SecretType',
  'NamespaceStatus.phase': 'v1.NamespacePhase',
};

export const structName = (definition: string): string => definition.slice(definition.lastIndexOf('.') + 1);

export const isPointer = (definition: string, property: string): boolean =>
  pointers[structName(definition)]?.includes(property) === true;

export const isPointerStruct = (definition: string, property: string): boolean =>
  pointerStructs[structName(definition)]?.includes(property) === true;

/** `v1.ObjectMeta`: the package is the second last part of a definition's name. */
function packageAndName(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}

/** A type as Go's decoder prints it. */
export function goType(schema: OpenApiSchema, definition = '', property = ''): string {
  if (schema.$ref !== undefined) return packageAndName(schema.$ref);
  const alias = named[`${structName(definition)}.${property}`];
  if (alias !== undefined) return alias;
  switch (schema.type ?? '') {
    case 'string':
      return schema.format === 'byte' ? '[]uint8' : 'string';
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${goType(schema.items ?? {})}`;
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `map[string]${goType(schema.additionalProperties)}`
        : 'map[string]interface {}';
    default:
      return 'interface {}';
  }
}
