import type { Decision } from '@hawser/controller';
import type { BindableResourcesRequest, Secret } from '@hawser/kube-bind';
import { answerText, isOutdatedAnswer } from './answer-text.js';

export interface ObservedAnswer {
  readonly request: BindableResourcesRequest;
  /** The Secret with the answer, read live. */
  readonly answer: Secret;
  /** The key of the answer in the Secret. */
  readonly key: string;
  /** The kubeconfig that the answer copies, base64. */
  readonly kubeconfig: string;
}

export interface AnswerAction {
  readonly type: 'follow';
  readonly answer: Secret;
  readonly key: string;
  readonly text: string;
}

/** Whether the answer to a request must follow its kubeconfig. Undefined: there is no such answer. Pure. */
export function decideAnswer(observed: ObservedAnswer | undefined): Decision<AnswerAction> {
  if (observed === undefined) return { actions: [] };
  const { request, answer, key, kubeconfig } = observed;
  const isOurs =
    answer.metadata.ownerReferences?.some(
      ({ uid, controller }) => controller === true && uid === request.metadata.uid,
    ) === true;
  if (!isOurs || !isOutdatedAnswer(answer.data?.[key], kubeconfig)) return { actions: [] };
  return { actions: [{ type: 'follow', answer, key, text: answerText(kubeconfig) }] };
}
