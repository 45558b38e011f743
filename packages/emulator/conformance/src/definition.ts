import type { JsonObject, JsonValue } from '@hawser/json';

export interface VersionOptions {
  /** Default `v1`. */
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  /** The whole schema, instead of one built from `spec` and `status`. */
  readonly schema?: JsonObject;
  /** More fields of the version: `subresources`, `additionalPrinterColumns`, `deprecated`, … */
  readonly more?: JsonObject;
  readonly served?: boolean;
  readonly storage?: boolean;
}

export interface DefinitionOptions {
  readonly group: string;
  /** Plural, lower case. Default `things`. */
  readonly plural?: string;
  readonly kind?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly names?: JsonObject;
  readonly versions?: readonly VersionOptions[];
  /** More fields of the CRD's spec. */
  readonly more?: JsonObject;
}

/** A CRD; without versions it has one that accepts any spec and status. */
export function definition(options: DefinitionOptions): JsonObject {
  const plural = options.plural ?? 'things';
  const kind = options.kind ?? 'Thing';
  const versions = options.versions ?? [{}];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${options.group}` },
    spec: {
      group: options.group,
      scope: options.scope ?? 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...options.names },
      versions: versions.map((version, index) => ({
        name: version.name ?? 'v1',
        served: version.served ?? true,
        storage: version.storage ?? index === 0,
        schema: { openAPIV3Schema: version.schema ?? schemaOf(version) },
        ...version.more,
      })),
      ...options.more,
    },
  };
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function schemaOf({ spec, status }: VersionOptions): JsonObject {
  return object({ spec: spec ?? anything, status: status ?? anything });
}

/** Schema of an object with these properties. */
export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

export const string = { type: 'string' } as const;
export const integer = { type: 'integer' } as const;
export const boolean = { type: 'boolean' } as const;

export function list(items: JsonValue, more: JsonObject = {}): JsonObject {
  return { type: 'array', items, ...more };
}

export function rule(text: string, more: JsonObject = {}): JsonObject {
  return { 'x-kubernetes-validations': [{ rule: text, ...more }] };
}
