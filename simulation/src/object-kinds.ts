import type { JsonObject } from '@hawser/json';
import type { Slot } from './model.js';
import type { Binding } from './names.js';
import { type Sample, objectOf, sampleOf } from './sample.js';
import { SECRETS, changedSecret, claimedSecret, secretSampleOf } from './secret-sample.js';

/** One kind of users' objects: how to write and read it. */
export interface ObjectKind {
  readonly resourceOf: (binding: Binding) => { readonly group: string; readonly resource: string };
  readonly objectOf: (slot: Slot, binding: Binding, value: number) => JsonObject;
  readonly changed: (current: JsonObject, value: number) => JsonObject;
  readonly sampleOf: (object: JsonObject) => Sample;
}

/** Objects of the bound APIs. */
export const apiObjects: ObjectKind = {
  resourceOf: ({ group, plural }) => ({ group, resource: plural }),
  objectOf,
  changed: (current, value) => ({ ...current, spec: { ...(current['spec'] as JsonObject), value } }),
  sampleOf,
};

/** Secrets that the provider claims. */
export const claimedSecrets: ObjectKind = {
  resourceOf: () => SECRETS,
  objectOf: claimedSecret,
  changed: changedSecret,
  sampleOf: secretSampleOf,
};
