import { conditionTypes, hasCondition, type Instant, markFalse, markTrue } from '@hawser/kube-bind';
import type { ExportObject } from './export-object.js';
import { type Refusal, refusalCondition } from './refusal.js';

type Status = NonNullable<ExportObject['status']>;

/** The status with `RightsGranted` in it. What has all its rights and always had says nothing: taking over an installation costs no write. */
export function withRightsOutcome(status: Status | undefined, refusals: readonly Refusal[], now: Instant): Status {
  const type = conditionTypes.rightsGranted;
  const [first, ...others] = refusals;
  if (first !== undefined) {
    const { reason, message } = refusalCondition([first, ...others]);
    return { ...status, conditions: markFalse(status?.conditions, type, reason, 'Warning', message, now) };
  }
  return hasCondition(status?.conditions, type) ? { ...status, conditions: markTrue(status?.conditions, type, now) } : { ...status };
}
