import {
  type APIServiceExportRequestStatus,
  conditionTypes,
  type Instant,
  markFalse,
  markTrue,
  removeCondition,
  setCondition,
  setSummary,
} from '@hawser/kube-bind';
import { type RequestProblem, reportProblem } from './request-problem.js';

/** The outcome to write into the status of a request. */
export type RequestOutcome =
  { readonly kind: 'succeeded' } | { readonly kind: 'problem'; readonly problem: RequestProblem };

/** The status with the outcome; equal to `status` if nothing changes. */
export function withOutcome(
  status: APIServiceExportRequestStatus | undefined,
  outcome: RequestOutcome,
  now: Instant,
): APIServiceExportRequestStatus {
  switch (outcome.kind) {
    case 'succeeded': {
      const conditions = markTrue(
        removeCondition(status?.conditions, conditionTypes.permissionClaim),
        conditionTypes.exportsReady,
        now,
      );
      return { ...status, phase: 'Succeeded', conditions: setSummary(conditions, now) };
    }
    case 'problem': {
      const { type, reason, message, terminal } = reportProblem(outcome.problem);
      const conditions = setSummary(markFalse(status?.conditions, type, reason, 'Error', message, now), now);
      // An export that was made stays made, whatever happens to it: clients wait for the phase only at the beginning.
      if (!terminal || status?.phase === 'Succeeded')
        return { ...status, phase: status?.phase ?? 'Pending', conditions };
      // Tools that check health by the rules of kstatus know no phase.
      const stalled = setCondition(conditions, { type: conditionTypes.stalled, status: 'True', reason, message }, now);
      return { ...status, phase: 'Failed', terminalMessage: message, conditions: stalled };
    }
  }
}
