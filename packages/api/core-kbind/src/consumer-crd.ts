import { type CRDVersion, type CustomResourceDefinition } from '@hawser/crd';
import { annotations, labels } from './metadata.js';
import { schemaHash } from './schema-hash.js';

/** A CRD as the consumer gets it, and its hash. */
export interface ConsumerCRD {
  readonly crd: CustomResourceDefinition;
  readonly hash: string;
  /** The only version. */
  readonly version: CRDVersion;
}

/** Of the provider's annotations on a CRD, the one that an API server asks for. All others, and all labels, are the provider's own affair (spec/kbind-v2.md §27.3, K35). */
const CARRIED = ['api-approved.kubernetes.io'] as const;

/**
 * What a consumer is to have of a provider's CRD (spec/kbind-v2.md §12.1): one version, that which is stored if the provider serves it, else the first that it serves; without
 * conversion; labelled as managed, and pinned to the Connection. Undefined: the provider serves no version with a schema, so there is nothing to sync with.
 */
export function consumerCRD(provided: CustomResourceDefinition, connection: string): ConsumerCRD | undefined {
  const usable = provided.spec.versions.filter(({ served, schema }) => served && schema?.openAPIV3Schema !== undefined);
  const chosen = usable.find(({ storage }) => storage) ?? usable[0];
  if (chosen === undefined) return undefined;
  const { group, names, scope } = provided.spec;
  const version: CRDVersion = { ...chosen, served: true, storage: true };
  const spec = { group, names, scope, versions: [version], conversion: { strategy: 'None' } };
  const hash = schemaHash(spec);
  const found = provided.metadata.annotations ?? {};
  const carried = CARRIED.filter((key) => found[key] !== undefined).map((key) => [key, found[key] ?? ''] as const);
  return {
    hash,
    version,
    crd: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: provided.metadata.name,
        labels: { [labels.managed]: 'true' },
        annotations: {
          ...Object.fromEntries(carried),
          [annotations.connection]: connection,
          [annotations.schemaHash]: hash,
        },
      },
      spec,
    },
  };
}

/** Which Connection a CRD on the consumer belongs to; undefined: none, so no konnector of this dialect may write it (spec/kbind-v2.md §27.3, K23). */
export function connectionOf({ metadata }: CustomResourceDefinition): string | undefined {
  if (metadata.labels?.[labels.managed] !== 'true') return undefined;
  const name = metadata.annotations?.[annotations.connection] ?? '';
  return name === '' ? undefined : name;
}
