import { type PermissionClaim, conditionTypes, getCondition } from '@hawser/kube-bind';
import type { Standing } from '@hawser/preview';

import type { BindingView } from './binding-view.js';
import type { ClaimReport } from './report.js';

/**
 * How the claims of a binding stand: accepted ones, and those that wait for acceptance. Reasons for not serving claims
 * are known only for all together.
 */
export function claimReports({
  binding,
  export: apiExport,
  claims,
  claimsRecorded,
  heldClaims,
}: Pick<BindingView, 'binding' | 'export' | 'claims' | 'claimsRecorded' | 'heldClaims'>): readonly ClaimReport[] {
  const inSync = getCondition(binding.status?.conditions, conditionTypes.claimsInSync);
  const standing: Standing =
    inSync?.status === 'False' ? 'held' : apiExport === undefined ? 'unknown' : claimsRecorded ? 'inStep' : 'underWay';
  const report =
    (of: Standing, reason: string | undefined) =>
    ({ group, resource }: PermissionClaim): ClaimReport => ({ group: group ?? '', resource, standing: of, reason });
  return [
    ...claims.map(report(standing, standing === 'held' ? inSync?.reason : undefined)),
    ...heldClaims.map(report('held', 'ClaimsHeld')),
  ];
}
