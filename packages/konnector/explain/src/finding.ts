import { type ApiError, isApiError } from '@hawser/client';
import type { NewCondition, APIServiceBinding } from '@hawser/kube-bind';
import { conditionTypes, getCondition } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import { findReason } from '@hawser/reasons';

import { NEXT_LIST } from './next-try.js';

/** A condition that tells of trouble, as a finding; `binding` may know since when. */
export function findingOf(condition: NewCondition, binding: APIServiceBinding): Finding {
  const reason = condition.reason ?? condition.type;
  const known = findReason('APIServiceBinding', reason, condition.type);
  const before = getCondition(binding.status?.conditions, condition.type);
  const since = before?.status === condition.status && before.reason === condition.reason ? before.lastTransitionTime : undefined;
  return { reason, message: condition.message ?? '', actor: known?.actor ?? 'operator', remedy: known?.remedy, since, condition: condition.type };
}

/** Why objects of a resource cannot be read, what the actor does, and when a konnector tries again. */
export function unlisted(error: ApiError): Finding {
  const refused = isApiError(error, 'Forbidden', 'Unauthorized');
  const onConsumer = error.request.cluster === 'consumer';
  const reason = onConsumer ? 'ForbiddenOnConsumer' : refused ? 'ForbiddenByProvider' : 'NotServedByProvider';
  return {
    reason,
    message: `${error.message}${/[.!?]$/u.test(error.message) ? '' : '.'} ${NEXT_LIST}`,
    actor: onConsumer ? 'operator' : 'provider',
    remedy: findReason('APIServiceBinding', reason, conditionTypes.objectsInSync)?.remedy,
  };
}
