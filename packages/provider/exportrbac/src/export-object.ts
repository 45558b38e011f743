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

/** An APIServiceExport with schemas in BoundSchemas, or with its own schema. */
export interface ExportObject extends KubeObject {
  readonly spec: APIServiceExportSpec | InlineExportSpec;
  readonly status?: { readonly conditions?: Conditions | undefined } | undefined;
}

/** The facts of an exported resource that decide its rights. */
export interface Offer {
  readonly resource: GroupResource;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly isolation: Isolation;
  /** Whether a konnector lists namespaced objects in the whole cluster: the immutable export says so. */
  readonly watchedInCluster: boolean;
}

/** The offers of an export; a resource without a schema does not count yet. */
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

/** The claims of an export that have rights: kube-bind's fixed resources, or those of Klutch's template. */
export function claimedBy({ spec }: ExportObject): readonly GroupResource[] {
  const claims: readonly GroupResource[] = spec.permissionClaims ?? [];
  return claims
    .filter((claim) => 'names' in spec || isClaimable(claim))
    .map(({ group = '', resource }) => ({ group, resource }));
}

/** Whether an export grants rights: it exists, and neither consumer nor provider has withdrawn it. */
export function isInForce(found: ExportObject): boolean {
  return (
    !isTerminating(found) &&
    !isWithdrawn(found.metadata) &&
    !isConditionTrue(found.status?.conditions, conditionTypes.unbound)
  );
}
