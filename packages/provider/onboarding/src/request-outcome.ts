import {
  type BindableResourcesRequest,
  type BindableResourcesRequestStatus,
  conditionReasons,
  conditionTypes,
  formatTime,
  type StandardCondition,
} from '@hawser/kube-bind';
import type { RequestOutcome } from './request-decision.js';
import { reportProblem } from './request-problem.js';

/** The wire allows longer messages, but the text may be another program's. */
const longestMessage = 4_096;

/** The status of `request` with the outcome; the same object if nothing changes. */
export function withOutcome(
  request: BindableResourcesRequest,
  outcome: RequestOutcome,
  now: number,
): BindableResourcesRequestStatus {
  const status = request.status ?? {};
  // An answer is final.
  if (isFinished(request)) return status;
  switch (outcome.kind) {
    case 'succeeded':
      return {
        ...status,
        phase: 'Succeeded',
        namespace: outcome.namespace,
        kubeconfigSecretRef: outcome.secret,
        completionTime: formatTime(now),
        conditions: withReady(
          request,
          'True',
          conditionReasons.secretReady,
          `Binding response secret "${outcome.secret.name}" is ready`,
          now,
        ),
      };
    case 'problem': {
      const { reason, message } = reportProblem(outcome.problem);
      const conditions = withReady(request, 'False', reason, message, now);
      return conditions === status.conditions ? status : { ...status, phase: 'Pending', conditions };
    }
  }
}

export function isFinished({ status }: BindableResourcesRequest): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** This kind has the conditions of Kubernetes itself (spec/kube-bind-backend.md §17.1). */
function withReady(
  { metadata, status }: BindableResourcesRequest,
  value: 'True' | 'False',
  reason: string,
  text: string,
  now: number,
): readonly StandardCondition[] {
  const type = conditionTypes.ready;
  const conditions = status?.conditions ?? [];
  const before = conditions.find((condition) => condition.type === type);
  const message = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
  if (
    before?.status === value &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === metadata.generation
  )
    return conditions;
  const lastTransitionTime = before?.status === value ? before.lastTransitionTime : formatTime(now);
  const condition: StandardCondition = {
    type,
    status: value,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    lastTransitionTime,
    reason,
    message,
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((one) => (one === before ? condition : one));
}
