import type { KubeObject } from '@hawser/client';
import { claimId } from './claim-consent.js';
import type { APIServiceExportRequestSpec } from './kinds/api-service-export-request.js';
import type { PermissionClaim } from './kinds/shared.js';
import { isClaimable } from './names.js';
import { isProtectedGroup } from './protected-groups.js';

/** Label of consumer ClusterRoles whose rules are added to those that the chart grants its konnector. */
export const aggregateToKonnector = { 'rbac.hawser.dev/aggregate-to-konnector': 'true' } as const;

/** A rule of a role (rbac/v1). */
export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Name of the ClusterRole with the extra rights for a binding. */
export function boundRoleName(binding: string): string {
  return `hawser-bound-${binding}`;
}

/**
 * Rights of a konnector on its consumer for the objects of a bound API. `more`: verbs that the binding's policies
 * require.
 */
export function boundRules(
  { group, resource }: { readonly group: string; readonly resource: string },
  more: readonly string[] = [],
): readonly RoleRule[] {
  return [
    { apiGroups: [group], resources: [resource], verbs: ['get', 'list', 'watch', 'patch', ...more] },
    { apiGroups: [group], resources: [`${resource}/status`], verbs: ['update'] },
  ];
}

/** Copies and claimed objects are only patched, never put. */
export const copyVerbs: readonly string[] = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** RBAC knows no selectors: several claims on one resource need one rule. */
export function claimedRules(claims: readonly PermissionClaim[]): readonly RoleRule[] {
  return [
    ...new Map(
      claims.map(({ group = '', resource }) => [
        `${resource}.${group}`,
        { apiGroups: [group], resources: [resource], verbs: copyVerbs },
      ]),
    ).values(),
  ];
}

/** Rights of a konnector for one binding. */
export interface BoundRole extends KubeObject {
  readonly rules?: readonly RoleRule[] | undefined;
}

/**
 * The ClusterRole that the chart's konnector needs for a binding. `accepted`: ids of the claims that the binding agrees
 * to.
 */
export function boundRole(
  binding: string,
  { resources, permissionClaims = [] }: Pick<APIServiceExportRequestSpec, 'resources' | 'permissionClaims'>,
  accepted: readonly string[],
): BoundRole {
  // The konnector installs no Kubernetes API for a provider, so it needs no right on one.
  const bound = resources.flatMap(({ group = '', resource }) =>
    isProtectedGroup(group) ? [] : boundRules({ group, resource }),
  );
  // The konnector ignores a claim on anything else, whatever a provider writes.
  const isGiven = (claim: PermissionClaim): boolean => isClaimable(claim) && accepted.includes(claimId(claim));
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: boundRoleName(binding), labels: aggregateToKonnector },
    rules: [...bound, ...claimedRules(permissionClaims.filter(isGiven))],
  };
}
