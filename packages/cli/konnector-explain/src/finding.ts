import { CLAIMS_IN_SYNC, refusedClaim } from '@hawser/claimedresources';
import { type ApiError, isApiError } from '@hawser/client';
import { unreadableProblem } from '@hawser/konnector-sync';
import type { NewCondition, APIServiceBinding } from '@hawser/kube-bind';
import { conditionTypes, getCondition } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import { findReason } from '@hawser/reasons';

import { NEXT_LIST } from './next-try.js';

/** Only the konnector knows whether its connection continues, and so whether it repairs the Secret by itself. */
const KNOWN_BETTER: ReadonlySet<string> = new Set([conditionTypes.secretValid, conditionTypes.informersSynced]);

/** A condition that reports trouble, as a finding; `binding` may have the start time and the konnector's own text. */
export function findingOf(condition: NewCondition, binding: APIServiceBinding): Finding {
  const reason = condition.reason ?? condition.type;
  const known = findReason('APIServiceBinding', reason, condition.type);
  const before = getCondition(binding.status?.conditions, condition.type);
  const since =
    before?.status === condition.status && before.reason === condition.reason ? before.lastTransitionTime : undefined;
  const message = since !== undefined && KNOWN_BETTER.has(condition.type) ? before?.message : condition.message;
  return {
    reason,
    message: message ?? '',
    actor: known?.actor ?? 'operator',
    remedy: known?.remedy,
    since,
    condition: condition.type,
  };
}

/** Why objects of a resource are unreadable, in the terms of the konnector's condition, and when it tries again. */
export function unlisted(error: ApiError, of: 'bound' | 'claimed' = 'bound'): Finding {
  const side = error.request.cluster === 'consumer' ? 'consumer' : 'provider';
  const { reason, message, actor } =
    of === 'claimed' && isApiError(error, 'Forbidden', 'Unauthorized')
      ? refusedClaim(error, side)
      : unreadableProblem(error, side);
  const group = of === 'claimed' ? CLAIMS_IN_SYNC : conditionTypes.objectsInSync;
  return {
    reason,
    message: `${message} ${NEXT_LIST}`,
    actor,
    remedy: findReason('APIServiceBinding', reason, group)?.remedy,
  };
}
