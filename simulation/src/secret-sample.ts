import type { JsonObject } from '@hawser/json';
import type { PermissionClaim } from '@hawser/kube-bind';
import type { Slot } from './model.js';
import type { Binding } from './names.js';
import type { Sample } from './sample.js';

export const SECRETS = { group: '', resource: 'secrets' } as const;
/** Label with the name of a binding, whose export claims the Secret. */
const CLAIMED = 'example.com/for';

/** Claims all Secrets labelled for the API, on either side. */
export function claimOn({ name }: Binding): PermissionClaim {
  return { ...SECRETS, selector: { labelSelector: { matchLabels: { [CLAIMED]: name } } } };
}

/** A Secret as its owner applies it. It contains its number, which identifies it in every cluster. */
export function claimedSecret({ name, namespace, object }: Slot, binding: Binding, value: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name, namespace, labels: { [CLAIMED]: binding.name } },
    data: dataOf(object, value),
  };
}

/** A Secret that stays with its owner, as no claim selects it. */
export function privateSecret(name: string, namespace: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace }, data: dataOf(-1, 1) };
}

export function changedSecret(current: JsonObject, value: number): JsonObject {
  return { ...current, data: dataOf(secretSampleOf(current).object, value) };
}

/** Reads it back, on either side. */
export function secretSampleOf(secret: JsonObject): Sample {
  const {
    metadata: { name, namespace, uid, deletionTimestamp, finalizers = [] },
    data = {},
  } = secret as unknown as {
    readonly metadata: {
      readonly name: string;
      readonly namespace: string;
      readonly uid: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
    };
    readonly data?: Readonly<Record<string, string>>;
  };
  const number = (key: string): number =>
    data[key] === undefined ? -1 : Number(Buffer.from(data[key], 'base64').toString());
  return {
    name,
    namespace,
    uid,
    terminating: deletionTimestamp !== undefined,
    finalizers,
    standsFor: undefined,
    object: number('object'),
    value: number('value'),
    status: {},
  };
}

function dataOf(object: number, value: number): JsonObject {
  return { object: encoded(object), value: encoded(value) };
}

function encoded(value: number): string {
  return Buffer.from(String(value)).toString('base64');
}
