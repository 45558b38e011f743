import { type CRDVersion, type CustomResourceDefinition } from '@hawser/crd';
import { annotations, labels } from './metadata.js';
import { schemaHash } from './schema-hash.js';

/** A CRD as the consumer gets it. */
export interface ConsumerCRD {
  readonly crd: CustomResourceDefinition;
  /** Of what the provider offers, without {@link kept}. */
  readonly hash: string;
  /** Names of versions that the provider offers no more, and in which objects are stored here: an API server lets none of them go. */
  readonly kept: readonly string[];
}

/** Of the provider's annotations on a CRD, the one that an API server asks for. All others, and all labels, are the provider's own affair (spec/kbind-v2.md §27.3, K35). */
const CARRIED = ['api-approved.kubernetes.io'] as const;

/**
 * What a consumer is to have of a provider's CRD (spec/kbind-v2.md §12.1): labelled as managed, pinned to the Connection, without conversion. Where the provider converts nothing, all versions that it serves, so that it can move the version
 * that it stores (§27.3, K34); else one: that which is stored if the provider serves it, or the first that it serves. `live`: the CRD that is here, if it is the konnector's. Undefined: the provider serves no version with a schema, so there
 * is nothing to sync with.
 */
export function consumerCRD(
  provided: CustomResourceDefinition,
  connection: string,
  live?: CustomResourceDefinition,
): ConsumerCRD | undefined {
  const usable = provided.spec.versions.filter(({ served, schema }) => served && schema?.openAPIV3Schema !== undefined);
  const chosen = usable.find(({ storage }) => storage) ?? usable[0];
  if (chosen === undefined) return undefined;
  const { group, names, scope, conversion } = provided.spec;
  const converts = (conversion?.strategy ?? 'None') !== 'None';
  const versions = usable
    .filter((version) => !converts || version === chosen)
    .map((version): CRDVersion => ({ ...version, served: true, storage: version === chosen }));
  const spec = { group, names, scope, versions, conversion: { strategy: 'None' } };
  const hash = schemaHash(spec);
  const kept = keptVersions(live, versions);
  const found = provided.metadata.annotations ?? {};
  const carried = CARRIED.filter((key) => found[key] !== undefined).map((key) => [key, found[key] ?? ''] as const);
  return {
    hash,
    kept: kept.map(({ name }) => name),
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
      spec: { ...spec, versions: [...versions, ...kept] },
    },
  };
}

function keptVersions(
  live: CustomResourceDefinition | undefined,
  wanted: readonly CRDVersion[],
): readonly CRDVersion[] {
  const stored = live?.status?.storedVersions ?? [];
  return (live?.spec.versions ?? [])
    .filter(({ name }) => stored.includes(name) && !wanted.some((version) => version.name === name))
    .map((version) => ({ ...version, storage: false }));
}

/** Which Connection a CRD on the consumer belongs to; undefined: none, so no konnector of this dialect may write it (spec/kbind-v2.md §27.3, K23). */
export function connectionOf({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): string | undefined {
  if (metadata.labels?.[labels.managed] !== 'true') return undefined;
  const name = metadata.annotations?.[annotations.connection] ?? '';
  return name === '' ? undefined : name;
}
