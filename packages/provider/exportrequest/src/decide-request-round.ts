import { decideRequest } from './decide-request.js';
import type { RequestSettings } from './observed-request.js';
import type { RequestRound, RoundDecision } from './request-decision.js';

export interface RoundSettings extends RequestSettings {
  /**
   * Interval of looks at a request whose schemas follow their CRDs, without an event, in milliseconds. Undefined:
   * never.
   */
  readonly intervalMs?: number | undefined;
}

/** The next steps for a request, or what it waits for. Pure. */
export function decideRequestRound(settings: RoundSettings, observed: RequestRound): RoundDecision {
  const { now, waitMs, judged, reviewInMs, isUnsure = false } = observed;
  if (waitMs > 0) return { actions: [], requeueAfterMs: waitMs };
  const { actions, verdict } = decideRequest(settings, { ...observed, admission: judged?.admission }, now);
  switch (verdict.kind) {
    case 'succeeded':
      return { actions, requeueAfterMs: verdict.followsSchema ? settings.intervalMs : undefined };
    case 'waiting': {
      const { kind } = verdict.problem;
      return {
        actions,
        waits: true,
        requeueAfterMs: kind === 'bindForbidden' || (kind === 'tooManyExports' && isUnsure) ? reviewInMs : undefined,
      };
    }
    case 'progressing':
      return { actions, yields: verdict.unhurried === true };
    case 'absent':
    case 'failed':
      return { actions };
  }
}
