import {
  type APIServiceExportStatus,
  conditionReasons,
  conditionTypes,
  type Instant,
  markFalse,
  markTrue,
} from '@hawser/kube-bind';
import type { ExportOutcome } from './export-decision.js';

/**
 * The status with `ProviderInSync`; every other condition is the konnector's, and no controller computes `Ready`
 * (spec/kube-bind-backend.md §10.4).
 */
export function withExportOutcome(
  status: APIServiceExportStatus | undefined,
  outcome: ExportOutcome,
  now: Instant,
): APIServiceExportStatus {
  const type = conditionTypes.providerInSync;
  switch (outcome.kind) {
    case 'inSync':
      return { ...status, conditions: markTrue(status?.conditions, type, now) };
    case 'boundSchemasMissing': {
      const message = `BoundSchema ${outcome.names.join(', ')} is missing. It is made again while the APIServiceExportRequest stands and the provider exports the CRD.`;
      return {
        ...status,
        conditions: markFalse(status?.conditions, type, conditionReasons.boundSchemaMissing, 'Error', message, now),
      };
    }
  }
}
