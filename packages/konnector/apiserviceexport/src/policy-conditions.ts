import type { HeldDeletions } from '@hawser/controller';
import {
  type APIServiceBindingStatus,
  type NewCondition,
  falseCondition,
  getCondition,
  hawserAnnotations,
  removeCondition,
  setBindingSummary,
  setCondition,
} from '@hawser/kube-bind';
import type { PolicyReading } from '@hawser/konnector-sync';

/** Facts to report on a binding's policies. */
export interface PolicyFacts {
  readonly reading: PolicyReading;
  /** Undefined: no deletion is held. */
  readonly held: HeldDeletions | undefined;
  readonly perMinute: number;
  /** False: held deletions are not known yet; the former report stays. */
  readonly heldKnown: boolean;
}

/** Hawser's conditions on the APIServiceBinding. Absent while there is nothing to report. */
export const DELETIONS_HELD = 'DeletionsHeld';
export const PAUSED = 'Paused';
export const POLICIES_VALID = 'PoliciesValid';

/** Computes the binding's status with its policy conditions. No severity: summaries ignore them. */
export function policyConditions(
  before: APIServiceBindingStatus,
  facts: PolicyFacts,
  now: number,
): APIServiceBindingStatus {
  const known = before.conditions ?? [];
  const conditionsByType: readonly (readonly [string, NewCondition | undefined])[] = [
    [PAUSED, pausedCondition(facts.reading)],
    [POLICIES_VALID, validCondition(facts.reading)],
    ...(facts.held === undefined && !facts.heldKnown ? [] : [[DELETIONS_HELD, heldCondition(facts)] as const]),
  ];
  const after = conditionsByType.reduce(
    (conditions, [type, condition]) =>
      condition === undefined ? removeCondition(conditions, type) : setCondition(conditions, condition, now),
    known,
  );
  return after === known ? before : { ...before, conditions: [...setBindingSummary(after, now)] };
}

/** Events for the binding: one for each state that has begun. */
export function policyEvents(
  before: APIServiceBindingStatus | undefined,
  after: APIServiceBindingStatus | undefined,
): readonly { readonly reason: string; readonly message: string }[] {
  return [DELETIONS_HELD, POLICIES_VALID].flatMap((type) => {
    const [was, is] = [before, after].map((status) => getCondition(status?.conditions, type));
    if (is?.reason === undefined || is.message === undefined) return [];
    const isNews = type === DELETIONS_HELD ? was === undefined : was?.message !== is.message;
    return isNews ? [{ reason: is.reason, message: is.message }] : [];
  });
}

function pausedCondition({ policy: { pause } }: PolicyReading): NewCondition | undefined {
  if (pause === undefined) return undefined;
  const where = pause.of === 'connection' ? "the Secret with the provider's kubeconfig" : 'this binding';
  const message = `Nothing is written for the objects of this binding, because the annotation ${hawserAnnotations.paused} on ${where} says: "${pause.reason}". Deletions wait too. It goes on when the annotation is removed.`;
  return { type: PAUSED, status: 'True', reason: 'Paused', message };
}

function validCondition({ problems }: PolicyReading): NewCondition | undefined {
  return problems.length === 0
    ? undefined
    : falseCondition(POLICIES_VALID, 'UnknownPolicyValue', '', problems.map(({ message }) => message).join(' '));
}

function heldCondition({ held, perMinute }: PolicyFacts): NewCondition | undefined {
  if (held === undefined) return undefined;
  const { count, token, examples } = held;
  const more = count > examples.length ? ` and ${count - examples.length} more` : '';
  const message = `${count} ${count === 1 ? 'copy' : 'copies'} on the provider would be deleted, because the consumer objects are gone: ${examples.join(', ')}${more}. That is more than the ${perMinute} that may go in a minute, so none is deleted. If the objects are to be gone, annotate this binding with "${hawserAnnotations.approveDeletions}: ${token}"; else restore them, or set the orphan policy to Keep.`;
  return { type: DELETIONS_HELD, status: 'True', reason: 'TooManyOrphans', message };
}
