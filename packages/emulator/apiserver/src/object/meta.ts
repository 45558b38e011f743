import type { JsonObject } from '@hawser/json';
import { objectField, stringField, withField, withFields } from './json.js';

/** Decoded `metadata`: decoding has refused wrong types. */
export interface ObjectMeta extends JsonObject {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly JsonObject[];
}

export interface OwnerReference extends JsonObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export function metaOf(object: JsonObject): ObjectMeta {
  return objectField(object, 'metadata') ?? {};
}

export type MetaChange = { readonly [Key in keyof ObjectMeta]?: ObjectMeta[Key] | undefined };

/** A copy with fields of the metadata set; removes undefined ones. */
export function withMeta(object: JsonObject, change: MetaChange): JsonObject {
  return withField(object, 'metadata', withFields(metaOf(object), change));
}

export function isDeleting(object: JsonObject): boolean {
  return metaOf(object).deletionTimestamp !== undefined;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `apps/v1` or `v1`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** With another `apiVersion`, in the same place. */
export function inVersion(object: JsonObject, apiVersion: string): JsonObject {
  return object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

/** A time of the API: seconds, UTC. */
export function timestampOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds !== latest.seconds) latest = { seconds, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

/** Every write asks several times within the same second. */
let latest = { seconds: Number.NaN, text: '' };

export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Name for messages: the object's own, or its `generateName`. */
export function nameOf(object: JsonObject): string {
  return stringField(metaOf(object), 'name');
}
