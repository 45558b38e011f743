import type { CRDVersion, CustomResourceDefinition } from './custom-resource-definition.js';
import { type Schema, toOpenAPI } from './schema/index.js';
import type { ResourceScope } from './scopes.js';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'date' | 'integer';
  readonly jsonPath: string;
  readonly priority?: number;
}

/** One version of a kind. */
export interface KindVersion<Version extends string = string> {
  readonly name: Version;
  readonly storage: boolean;
  /** The whole object, `metadata` included. */
  readonly schema: Schema<unknown>;
  readonly columns: readonly PrinterColumn[];
  /** Whether the kind has a status and its subresource. Default true. */
  readonly hasStatus?: boolean;
}

/** Defines a kind: everything that its CRD says. */
export interface KindDefinition<Version extends string = string> {
  readonly kind: string;
  readonly plural: string;
  readonly scope: ResourceScope;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly description: string;
  readonly versions: readonly KindVersion<Version>[];
}

const column = (name: string, jsonPath: string, priority?: number): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  ...(priority === undefined ? {} : { priority }),
});

/** The columns that several kinds share. */
export const columns = {
  of: column,
  age: { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ready: column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
  message: column('Message', '.status.conditions[?(@.type=="Ready")].message'),
} as const;

/** The CRD of a kind of `group`. */
export function crdFromDefinition(group: string, definition: KindDefinition): CustomResourceDefinition {
  const { kind, plural, shortNames, categories } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      scope: definition.scope,
      conversion: { strategy: 'None' },
      versions: definition.versions.map((version) => crdVersion(definition, version)),
    },
  };
}

function crdVersion(definition: KindDefinition, version: KindVersion): CRDVersion {
  return {
    name: version.name,
    served: true,
    storage: version.storage,
    additionalPrinterColumns: version.columns,
    schema: { openAPIV3Schema: toOpenAPI({ ...version.schema.node, description: definition.description }) },
    subresources: version.hasStatus === false ? {} : { status: {} },
  };
}
