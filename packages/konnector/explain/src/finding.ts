import type { NewCondition, APIServiceBinding } from '@hawser/kube-bind';
import { getCondition } from '@hawser/kube-bind';
import { type ReasonActor, findReason } from '@hawser/reasons';

/** Why something is not in step, in words for the person who must act. */
export interface Finding {
  readonly reason: string;
  readonly message: string;
  readonly actor: ReasonActor;
  /** What the actor does; absent where the message says it all. */
  readonly remedy?: string | undefined;
  /** RFC 3339, as far as it is known. */
  readonly since?: string | undefined;
}

/** A condition that tells of trouble, as a finding; `binding` may know since when. */
export function findingOf(condition: NewCondition, binding: APIServiceBinding): Finding {
  const reason = condition.reason ?? condition.type;
  const known = findReason('APIServiceBinding', reason, condition.type);
  const before = getCondition(binding.status?.conditions, condition.type);
  const since = before?.status === condition.status && before.reason === condition.reason ? before.lastTransitionTime : undefined;
  return { reason, message: condition.message ?? '', actor: known?.actor ?? 'operator', remedy: known?.remedy, since };
}
