import {
  anyScalar,
  atomicList,
  atomicStruct,
  boolean,
  listBy,
  mapOf,
  numeric,
  setOf,
  string,
  struct,
} from './define-type.js';
import { type FieldType, untypedAtomic } from './field-type.js';

const ownerReference = atomicStruct({
  apiVersion: string,
  blockOwnerDeletion: boolean,
  controller: boolean,
  kind: string,
  name: string,
  uid: string,
});

const managedFieldsEntry = struct({
  apiVersion: string,
  fieldsType: string,
  fieldsV1: untypedAtomic,
  manager: string,
  operation: string,
  subresource: string,
  time: anyScalar,
});

/** meta/v1 `ObjectMeta`: labels and annotations key by key, finalizers one by one, owner references by uid. */
export const metadataType: FieldType = struct({
  annotations: mapOf(string),
  creationTimestamp: anyScalar,
  deletionGracePeriodSeconds: numeric,
  deletionTimestamp: anyScalar,
  finalizers: setOf(string),
  generateName: string,
  generation: numeric,
  labels: mapOf(string),
  managedFields: atomicList(managedFieldsEntry),
  name: string,
  namespace: string,
  ownerReferences: listBy(['uid'], ownerReference),
  resourceVersion: string,
  selfLink: string,
  uid: string,
});
