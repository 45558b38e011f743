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
      readonly serving: Serving;
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

/** What the API server takes from a provider, and would refuse from every consumer. */
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
  /** It has not set it up yet. */
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

/** Bytes of a schema that is exported: etcd takes 1.5 MiB in one request, unless told otherwise, and every consumer has to store it too. */
export const largestSchemaBytes = 1_400_000;

export function servedVersionsOf({ spec: { versions } }: CustomResourceDefinition): readonly string[] {
  return versions.filter(({ served }) => served).map(({ name }) => name);
}

/** {@link SourceSchema} of one CRD. */
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
