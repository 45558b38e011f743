import { type CRDVersion, type CustomResourceDefinition } from '@hawser/crd';
import { annotations, labels } from './metadata.js';
import { schemaHash } from './schema-hash.js';

/** The CRD to install on the consumer. */
export interface ConsumerCRD {
  readonly crd: CustomResourceDefinition;
  /** Hash of the offered CRD, without {@link kept}. */
  readonly hash: string;
  /**
   * Versions that the provider no longer offers but in which the consumer still stores objects. An API server refuses
   * to drop them.
   */
  readonly kept: readonly string[];
}

/**
 * The one provider annotation that a consumer's CRD carries: an API server requires it. All other annotations, and all
 * labels, stay with the provider (spec/kbind-v2.md §27.3, K35).
 */
const CARRIED = ['api-approved.kubernetes.io'] as const;

/**
 * Builds the consumer's CRD from a provider's CRD (spec/kbind-v2.md §12.1): labelled as managed, pinned to the
 * Connection, without conversion. If the provider converts nothing, it keeps every served version, which lets the
 * provider move its storage version (§27.3, K34). Otherwise it keeps one: the stored version if served, else the first
 * served. `live`: the installed CRD, if the konnector owns it. Undefined: the provider serves no version with a schema,
 * so nothing can be synced.
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

/**
 * The Connection that owns a consumer CRD. Undefined: none, and no konnector of this dialect may write the CRD
 * (spec/kbind-v2.md §27.3, K23).
 */
export function connectionOf({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): string | undefined {
  if (metadata.labels?.[labels.managed] !== 'true') return undefined;
  const name = metadata.annotations?.[annotations.connection] ?? '';
  return name === '' ? undefined : name;
}
