import {
  conditionTypes,
  hasCondition,
  type Instant,
  markFalse,
  markTrue,
  removeCondition,
  setCondition,
} from '@hawser/kube-bind';
import type { ExportObject } from './export-object.js';
import { type Refusal, refusalCondition } from './refusal.js';
import { sharedCondition, type Sharing } from './sharing.js';

type Status = NonNullable<ExportObject['status']>;

/** Report on the rights of one export. */
export interface RightsOutcome {
  readonly refusals: readonly Refusal[];
  readonly sharing: readonly Sharing[];
}

/**
 * The status with `RightsGranted` and `ObjectsShared`. An export that always had all rights and shares nothing gets
 * neither: taking over an installation costs no write.
 */
export function withRightsOutcome(status: Status | undefined, outcome: RightsOutcome, now: Instant): Status {
  const before = status?.conditions;
  const conditions = withSharing(withRefusals(before, outcome, now), outcome, now);
  return { ...status, ...(conditions === before ? {} : { conditions }) };
}

function withRefusals(
  conditions: Status['conditions'],
  { refusals: [first, ...others] }: RightsOutcome,
  now: Instant,
): Status['conditions'] {
  const type = conditionTypes.rightsGranted;
  if (first !== undefined) {
    const { reason, message } = refusalCondition([first, ...others]);
    return markFalse(conditions, type, reason, 'Warning', message, now);
  }
  return hasCondition(conditions, type) ? markTrue(conditions, type, now) : conditions;
}

function withSharing(conditions: Status['conditions'], { sharing }: RightsOutcome, now: Instant): Status['conditions'] {
  const shared = sharedCondition(sharing);
  if (shared !== undefined) return setCondition(conditions, shared, now);
  return hasCondition(conditions, conditionTypes.objectsShared)
    ? removeCondition(conditions, conditionTypes.objectsShared)
    : conditions;
}
