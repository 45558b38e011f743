import { isTerminating, type KubeObject } from '@hawser/client';
import type { APIServiceExportSpec as InlineExportSpec } from '@hawser/klutch';
import {
  type APIServiceExportSpec,
  type BoundSchema,
  type Conditions,
  conditionTypes,
  type GroupResource,
  isClaimable,
  isConditionTrue,
  type Isolation,
  isWithdrawn,
  resourceGroupName,
} from '@hawser/kube-bind';

/** An APIServiceExport whose schemas are in BoundSchemas, or one that carries a schema itself. */
export interface ExportObject extends KubeObject {
  readonly spec: APIServiceExportSpec | InlineExportSpec;
  readonly status?: { readonly conditions?: Conditions | undefined } | undefined;
}

/** A resource of an export, as far as rights go. */
export interface Offer {
  readonly resource: GroupResource;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly isolation: Isolation;
  /** Its objects are in namespaces, and yet a konnector lists them in the whole cluster, because the export says so, and exports are immutable. */
  readonly watchedInCluster: boolean;
}

/** What an export offers; a resource without a schema is not there yet. */
export function offersOf({ spec }: ExportObject, boundSchemas: ReadonlyMap<string, BoundSchema>): readonly Offer[] {
  if ('names' in spec) {
    const { group, names, scope, informerScope, clusterScopedIsolation: isolation = 'Prefixed' } = spec;
    return [
      {
        resource: { group, resource: names.plural },
        scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
        isolation,
        watchedInCluster: scope !== 'Cluster' && informerScope === 'Cluster',
      },
    ];
  }
  return spec.resources.flatMap(({ group, resource }): readonly Offer[] => {
    const schema = boundSchemas.get(resourceGroupName({ group, resource }))?.spec;
    if (schema === undefined) return [];
    return [
      {
        resource: { group, resource },
        scope: schema.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
        isolation: spec.isolation,
        watchedInCluster: false,
      },
    ];
  });
}

/** What it claims, as far as there are rights for that: kube-bind has them for some resources and no others, Klutch for what its template says. */
export function claimedBy({ spec }: ExportObject): readonly GroupResource[] {
  const claims: readonly GroupResource[] = spec.permissionClaims ?? [];
  return claims
    .filter((claim) => 'names' in spec || isClaimable(claim))
    .map(({ group = '', resource }) => ({ group, resource }));
}

/** Exports that give rights: those that stand, that the consumer has not let go of, and that the provider has not withdrawn. */
export function isInForce(found: ExportObject): boolean {
  return (
    !isTerminating(found) &&
    !isWithdrawn(found.metadata) &&
    !isConditionTrue(found.status?.conditions, conditionTypes.unbound)
  );
}
