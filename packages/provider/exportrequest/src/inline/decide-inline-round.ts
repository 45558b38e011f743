import type { Decision } from '@hawser/controller';
import { equal } from '@hawser/json';
import type { APIServiceExport, APIServiceExportRequest } from '@hawser/klutch';
import {
  decideInlineRequest,
  type InlineProblem,
  type InlineRequestSettings,
  type ObservedResource,
  ownReasons,
  withInlineAnswer,
} from './decide-inline-request.js';

/** An unanswered request of Klutch at one moment. */
export interface InlineRound {
  /** Undefined: gone, terminating, or answered. */
  readonly request: APIServiceExportRequest | undefined;
  /** By the name of the CRD. */
  readonly resources: ReadonlyMap<string, ObservedResource>;
  /** Milliseconds until the request is looked at; 0: now. */
  readonly waitMs: number;
  /** Milliseconds until the consumer's right to bind is checked again. No event reports a granted right. */
  readonly reviewInMs: number;
  readonly now: number;
}

export type InlineAction =
  | { readonly type: 'createExport'; readonly export: APIServiceExport }
  | {
      readonly type: 'answer';
      readonly request: APIServiceExportRequest;
      readonly problem: InlineProblem | undefined;
    };

/** The next steps for a request, or what it waits for. Pure. */
export function decideInlineRound(settings: InlineRequestSettings, observed: InlineRound): Decision<InlineAction> {
  const { request, resources: found, waitMs, reviewInMs, now } = observed;
  if (request === undefined) return { actions: [] };
  if (waitMs > 0) return { actions: [], requeueAfterMs: waitMs };
  const { create, problem, answered } = decideInlineRequest(settings, { request, resources: found });
  const actions: InlineAction[] = create.map((one) => ({ type: 'createExport', export: one }));
  const isReported = equal(withInlineAnswer(request.status, problem, now), request.status);
  if ((problem !== undefined || answered) && !isReported) actions.push({ type: 'answer', request, problem });
  if (actions.length > 0 || problem === undefined) return { actions };
  return problem.reason === ownReasons.bindForbidden
    ? { actions, requeueAfterMs: reviewInMs }
    : { actions, waits: true };
}
