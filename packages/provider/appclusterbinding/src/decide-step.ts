import { type Decision as Round, done } from '@hawser/controller';
import { equal } from '@hawser/json';
import type { AppClusterBinding } from '@hawser/klutch';
import { decide } from './decide.js';
import { decideDeletion } from './decide-deletion.js';
import type { Action } from './decision.js';
import type { Observed, ObservedDeletion, Settings } from './observed.js';
import { type Report, withReport } from './status.js';

/** Observation of one AppClusterBinding. Closed. */
export type Seen =
  | { readonly kind: 'gone' }
  | { readonly kind: 'standing'; readonly observed: Observed; readonly now: number }
  | {
      readonly kind: 'ending';
      readonly observed: ObservedDeletion;
      readonly now: number;
      /** Milliseconds until deleted objects are checked again. */
      readonly goneInMs: number;
      /** Milliseconds until the next check for instances, which no event reports. */
      readonly emptyInMs: number;
    };

/** An action, or a report. */
export type Step =
  | Action
  | { readonly type: 'report'; readonly binding: AppClusterBinding; readonly report: Report }
  /** The finalizer is removed. Each of `stays` is `namespace NAME`. */
  | { readonly type: 'tellWhatStays'; readonly binding: AppClusterBinding; readonly stays: readonly string[] };

/** The next round for one AppClusterBinding. Pure. */
export function decideStep(settings: Settings, seen: Seen): Round<Step> {
  switch (seen.kind) {
    case 'gone':
      return { actions: [] };
    case 'standing': {
      const decision = decide(settings, seen.observed);
      const { actions } = decision;
      if (actions.length === 0) return { actions: reportSteps(seen.observed.binding, decision, seen.now) };
      // The watch reports deletions.
      return actions.every(({ type }) => type === 'delete') ? { actions, ends: done } : { actions };
    }
    case 'ending':
      return decideEnding(seen);
  }
}

/** Report the obstacle before anything can fail. */
function decideEnding({ observed, now, goneInMs, emptyInMs }: Extract<Seen, { kind: 'ending' }>): Round<Step> {
  const { binding } = observed;
  const { actions, condition, stays } = decideDeletion(observed);
  const conditions = condition === undefined ? [] : [condition];
  const reports = reportSteps(binding, { conditions, without: [] }, now);
  if (reports.length > 0) return { actions: reports };
  if (stays !== undefined) return { actions: [...actions, { type: 'tellWhatStays', binding, stays }], ends: done };
  if (actions.length > 0) return { actions, ends: { kind: 'requeue', afterMs: goneInMs } };
  return condition?.severity === 'Info'
    ? { actions, requeueAfterMs: goneInMs, requeuePriority: 'normal' }
    : { actions, requeueAfterMs: emptyInMs };
}

function reportSteps(binding: AppClusterBinding, { conditions, without }: Report, now: number): readonly Step[] {
  const report = { conditions, without };
  return equal(withReport(binding, report, now), binding.status?.conditions)
    ? []
    : [{ type: 'report', binding, report }];
}
