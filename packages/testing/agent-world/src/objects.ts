import type { CustomResourceDefinition } from '@hawser/crd';
import type { PublishedResource, PublishedResourceSpec } from '@hawser/syncagent-api';

export interface CrdOptions {
  readonly group?: string;
  readonly kind?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly versions?: readonly { readonly name: string; readonly served?: boolean; readonly storage?: boolean }[];
}

/** A CRD with a status; `crontabs.example.com` unless told otherwise. */
export function crontabs({
  group = 'example.com',
  kind = 'CronTab',
  spec = { cronSpec: { type: 'string' }, image: { type: 'string' } },
  required,
  versions = [{ name: 'v1', storage: true }],
}: CrdOptions = {}): CustomResourceDefinition {
  const singular = kind.toLowerCase();
  const specSchema = { type: 'object', properties: spec, ...(required === undefined ? {} : { required }) };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: specSchema, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      versions: versions.map(({ name, served = true, storage = false }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
      })),
    },
  };
}

/** A PublishedResource of `crontabs.example.com` unless told otherwise. */
export function publish(
  name: string,
  spec: Partial<PublishedResourceSpec> = {},
  metadata: Partial<PublishedResource['metadata']> = {},
): PublishedResource {
  return {
    apiVersion: 'syncagent.kcp.io/v1alpha1',
    kind: 'PublishedResource',
    metadata: { name, ...metadata },
    spec: { resource: { apiGroup: 'example.com', kind: 'CronTab' }, ...spec },
  };
}
