import type { JsonObject } from '@hawser/json';
import { hawserAnnotations } from '@hawser/kube-bind';
import type { ApiSchema } from './api-schemas.js';
import type { Binding } from './names.js';
import type { Slot } from './model.js';

/** The CRD as a service owner installs it; `rollout`: the steps for changes to reach consumers. */
export function crdOf(
  { group, plural, kind }: Binding,
  { fields, limit }: ApiSchema,
  { rollout, conditions = false }: { readonly rollout?: string | undefined; readonly conditions?: boolean } = {},
): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: { 'kube-bind.io/exported': 'true' },
      ...(rollout === undefined ? {} : { annotations: { [hawserAnnotations.schemaRollout]: rollout } }),
    },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    object: { type: 'integer' },
                    value: { type: 'integer', maximum: limit },
                    tier: { type: 'string' },
                    note: { type: 'string' },
                    ...added(fields),
                  },
                },
                status: {
                  type: 'object',
                  properties: {
                    value: { type: 'integer' },
                    copy: { type: 'string' },
                    ...(conditions ? { conditions: CONDITIONS } : {}),
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
}

const CONDITIONS: JsonObject = {
  type: 'array',
  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

function added(fields: number): JsonObject {
  return Object.fromEntries(Array.from({ length: fields }, (_, index) => [`added${index}`, { type: 'string' }]));
}

/** Reads it back from a CRD or a BoundSchema. */
export function schemaOf(object: JsonObject): ApiSchema {
  const {
    spec: {
      versions: [version],
    },
  } = object as unknown as {
    readonly spec: {
      readonly versions: readonly { readonly schema: RawSchema & { readonly openAPIV3Schema?: RawSchema } }[];
    };
  };
  const properties = (version?.schema.openAPIV3Schema ?? version?.schema)?.properties.spec.properties ?? {};
  return {
    fields: Object.keys(properties).filter((name) => name.startsWith('added')).length,
    limit: properties['value']?.maximum ?? Infinity,
  };
}

interface RawSchema {
  readonly properties: {
    readonly spec: { readonly properties: Readonly<Record<string, { readonly maximum?: number }>> };
  };
}

/** An object as a user applies it. It contains its number, which identifies it in every cluster. */
export function objectOf({ name, namespace, object }: Slot, { group, kind }: Binding, value: number): JsonObject {
  return { apiVersion: `${group}/v1`, kind, metadata: { name, namespace }, spec: { object, value } };
}

export interface Sample {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly terminating: boolean;
  readonly finalizers: readonly string[];
  /** On a copy: the uid of its consumer object. */
  readonly standsFor: string | undefined;
  readonly object: number;
  readonly value: number;
  /** Value from a webhook. */
  readonly tier?: string | undefined;
  readonly status: { readonly value?: number; readonly copy?: string };
}

/** An object of one of the sample APIs, on either side. */
export function sampleOf(object: JsonObject): Sample {
  const { metadata, spec, status } = object as unknown as {
    readonly metadata: {
      readonly name: string;
      readonly namespace: string;
      readonly uid: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: { readonly object?: number; readonly value?: number; readonly tier?: string };
    readonly status?: Sample['status'];
  };
  const { name, namespace, uid, deletionTimestamp, finalizers = [], annotations = {} } = metadata;
  return {
    name,
    namespace,
    uid,
    terminating: deletionTimestamp !== undefined,
    finalizers,
    standsFor: annotations['kube-bind.io/consumer-uid'],
    object: spec?.object ?? -1,
    value: spec?.value ?? -1,
    tier: spec?.tier,
    status: status ?? {},
  };
}
