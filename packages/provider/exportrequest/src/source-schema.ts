import {
  type BoundSchemaSpec, boundSchemaSpecFromCRD, ConversionError, type CustomResourceDefinition, type InformerScope, type Isolation, schemaHash,
} from '@hawser/kube-bind';

/** How schemas are stamped on their way to one consumer. */
export interface Stamp {
  readonly informerScope: InformerScope;
  readonly isolation: Isolation;
}

/** An exported CRD as a consumer would get it (spec/kube-bind-backend.md §8.2, §8.3). */
export type SourceSchema =
  | {
      readonly kind: 'offered';
      /** Scope of the CRD itself, before any rewriting. */
      readonly scope: string;
      /** Versions that the provider serves. */
      readonly servedVersions: readonly string[];
      readonly spec: BoundSchemaSpec;
      /** Of `spec`: the value of `kube-bind.io/source-spec-hash`. */
      readonly hash: string;
    }
  /** A BoundSchema cannot say what this CRD says. */
  | { readonly kind: 'unusable'; readonly message: string };

/** Stamps CRDs; the same CRD object with the same stamp is converted and hashed once. */
export interface SchemaStamper {
  stamp(crd: CustomResourceDefinition, stamp: Stamp): SourceSchema;
}

export function createSchemaStamper(): SchemaStamper {
  // Cached objects are replaced when they change, so their identity is a version.
  const known = new WeakMap<CustomResourceDefinition, Map<string, SourceSchema>>();
  return {
    stamp(crd, stamp) {
      const key = `${stamp.informerScope}/${stamp.isolation}`;
      const perStamp = known.get(crd) ?? new Map<string, SourceSchema>();
      known.set(crd, perStamp);
      const schema = perStamp.get(key) ?? sourceSchema(crd, stamp);
      perStamp.set(key, schema);
      return schema;
    },
  };
}

/** {@link SourceSchema} of one CRD. */
export function sourceSchema(crd: CustomResourceDefinition, stamp: Stamp): SourceSchema {
  try {
    const spec = boundSchemaSpecFromCRD(crd, stamp);
    const servedVersions = crd.spec.versions.filter((version) => version.served).map((version) => version.name);
    return { kind: 'offered', scope: crd.spec.scope, servedVersions, spec, hash: schemaHash(spec) };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'unusable', message: error.message };
    throw error;
  }
}
