import {
  type BoundSchemaSpec,
  boundSchemaSpecFromCRD,
  ConversionError,
  type CustomResourceDefinition,
  encodeBoundSchemaSpec,
  type InformerScope,
  type Isolation,
  schemaHash,
} from '@hawser/kube-bind';

/** How schemas are stamped for one consumer. */
export interface Stamp {
  readonly informerScope: InformerScope;
  readonly isolation: Isolation;
}

/** An exported CRD in the form for a consumer (spec/kube-bind-backend.md §8.2, §8.3). */
export type SourceSchema =
  | {
      readonly kind: 'offered';
      /** Scope of the CRD itself, before any rewriting. */
      readonly scope: string;
      readonly serving: Serving;
      /** Versions that the provider serves. */
      readonly servedVersions: readonly string[];
      readonly spec: BoundSchemaSpec;
      /** Hash of `spec`: the value of `kube-bind.io/source-spec-hash`. */
      readonly hash: string;
    }
  /** A BoundSchema cannot express this CRD. */
  | { readonly kind: 'unusable'; readonly message: string };

/** Stamps CRDs; converts and hashes the same CRD object with the same stamp once. */
export interface SchemaStamper {
  stamp(crd: CustomResourceDefinition, stamp: Stamp): SourceSchema;
}

/** Finds content that the provider's API server accepts, and every consumer's would refuse. */
function obstacleIn({ spec, status }: CustomResourceDefinition): string | undefined {
  const { conversion } = spec;
  if (conversion?.strategy === 'Webhook' && conversion.webhook?.clientConfig?.url === undefined) {
    return "its conversion webhook is a Service of the provider, which no consumer's API server can call. Give the webhook a url that consumers reach, or serve one version without conversion.";
  }
  const nonStructural = status?.conditions?.find(({ type }) => type === 'NonStructuralSchema');
  return nonStructural?.status === 'True'
    ? `its schema is not structural: ${nonStructural.message ?? nonStructural.reason ?? ''}`
    : undefined;
}

/** Whether the provider's API server serves a CRD. */
export type Serving =
  | { readonly kind: 'served' }
  /** Not established yet. */
  | { readonly kind: 'starting' }
  /** Another CRD has its names. */
  | { readonly kind: 'refused'; readonly message: string };

export function servingOf({ status }: CustomResourceDefinition): Serving {
  const condition = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  if (condition('Established')?.status === 'True') return { kind: 'served' };
  const names = condition('NamesAccepted');
  return names?.status === 'False'
    ? { kind: 'refused', message: `its names are not accepted: ${names.message ?? names.reason ?? ''}` }
    : { kind: 'starting' };
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

/**
 * Largest exported schema, in bytes: etcd accepts 1.5 MiB in one request by default, and every consumer must store it
 * too.
 */
export const largestSchemaBytes = 1_400_000;

export function servedVersionsOf({ spec: { versions } }: CustomResourceDefinition): readonly string[] {
  return versions.filter(({ served }) => served).map(({ name }) => name);
}

/** Computes the {@link SourceSchema} of one CRD. */
export function sourceSchema(crd: CustomResourceDefinition, stamp: Stamp): SourceSchema {
  const obstacle = obstacleIn(crd);
  if (obstacle !== undefined) return { kind: 'unusable', message: obstacle };
  try {
    const spec = boundSchemaSpecFromCRD(crd, stamp);
    const bytes = Buffer.byteLength(encodeBoundSchemaSpec(spec));
    if (bytes > largestSchemaBytes)
      return {
        kind: 'unusable',
        message: `its schema takes ${bytes} bytes, and ${largestSchemaBytes} can be exported. Shorten its descriptions, or stop serving old versions and remove them.`,
      };
    return {
      kind: 'offered',
      scope: crd.spec.scope,
      serving: servingOf(crd),
      servedVersions: servedVersionsOf(crd),
      spec,
      hash: schemaHash(spec),
    };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'unusable', message: error.message };
    throw error;
  }
}
