import type { UnstructuredObject } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type Failures, type ObjectProblem, type Problem, createFailures, createProblems } from '@hawser/controller';
import type { EventRecorder, Logger } from '@hawser/telemetry';

import type { DeadLetter } from './dead-letter.js';
import type { Action, Decision } from './decision.js';
import type { Observed } from './observed.js';
import { type HeldSchema, lastingProblemOf, problemOf, sideOf, unhandledProblem, stalledProblem, undoneProblem } from './problem-of.js';
import { effortOf, stepText } from './step-text.js';

/** What people are told about the objects of one sync: problems, Events, and which writes are parked. */
export interface ObjectReports {
  readonly failures: Failures<Action>;
  /** Nothing is to be done for the object at present, or nothing that anybody waits for. Returns in how many milliseconds what is told may be over, if it is told in spite of the decision. */
  settled(key: string, observed: Observed, decision: Decision): number | undefined;
  /** A step that is wanted gets nowhere ({@link Failures.undone}). `by`: see {@link undoneProblem}. */
  undone(key: string, consumer: UnstructuredObject | undefined, action: Action, by: string | undefined): void;
  /** The object has gone from step to step without an end. Returns in how many milliseconds it is looked at again. */
  stalled(key: string, consumer: UnstructuredObject | undefined, action: Action): number;
  /** A step failed. */
  failed(key: string, consumer: UnstructuredObject | undefined, action: Action, error: unknown): void;
  /** A look at the object ended in an error, for the so manieth time in a row. */
  threw(key: string, consumer: UnstructuredObject | undefined, error: unknown, times: number): void;
  problems(): readonly ObjectProblem[];
  deadLetters(): readonly DeadLetter[];
}

export interface ObjectReportsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Ours, for messages. Default: that of kube-bind. */
  readonly finalizer?: string | undefined;
  /** The change of the schema that is held now. Default: none. */
  readonly heldSchema?: (() => HeldSchema | undefined) | undefined;
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** Told when there is another problem or dead letter. */
  readonly changed: () => void;
}

export function createObjectReports({ clock, random, finalizer, heldSchema, logger, events, changed }: ObjectReportsOptions): ObjectReports {
  const problems = createProblems(() => clock.now(), changed);
  const failures = createFailures(clock, stepText, { effortOf, random });

  const report = (key: string, about: UnstructuredObject | undefined, { reason, message, actor }: Problem): void => {
    if (!problems.set(key, { reason, message, actor })) return;
    logger.warn('object not in step', { object: key, reason, actor });
    if (about === undefined) return;
    const { name, namespace, uid } = about.metadata;
    events.record({ apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid }, { type: 'Warning', reason, message });
  };

  return {
    failures,
    settled(key, { consumer }, { verdict, withheld = [], actions }) {
      switch (verdict.kind) {
        case 'absent':
          failures.gone(key);
          problems.clear(key);
          return undefined;
        case 'inStep':
        case 'rewritten': {
          const standing = failures.standing(key, actions);
          if (standing === undefined) problems.clear(key);
          else report(key, consumer, standing.problem);
          return standing?.forMs;
        }
        case 'progressing':
          if (verdict.overdue !== undefined) report(key, consumer, verdict.overdue);
          return undefined;
        case 'orphan':
          report(key, undefined, { reason: 'Orphaned', message: verdict.message, actor: 'consumer' });
          return undefined;
        case 'held': {
          // A pause of all objects is told where it was said; here only what it holds back.
          const pausedWithOthers = verdict.reason === 'Paused' && verdict.actor === 'operator';
          if (verdict.actor === 'nobody' || (pausedWithOthers && withheld.length === 0)) problems.clear(key);
          else report(key, pausedWithOthers ? undefined : consumer, verdict);
          return undefined;
        }
      }
    },
    undone(key, consumer, action, by) {
      const problem = undoneProblem(action, by, finalizer);
      failures.tellUndone(key, action, problem, by !== undefined);
      report(key, consumer, problem);
    },
    stalled(key, consumer, action) {
      const problem = stalledProblem(action);
      failures.stalled(key, action, problem);
      report(key, consumer, problem);
      return failures.waits(key, action);
    },
    failed(key, consumer, action, error) {
      const { nextAttempt, problem } = failures.failed(key, action, { atOnce: problemOf(error, action, finalizer, heldSchema?.()), later: lastingProblemOf(error, sideOf(action)) });
      if (problem !== undefined) report(key, consumer, problem);
      if (nextAttempt !== undefined) changed();
    },
    threw(key, consumer, error, times) {
      const problem = unhandledProblem(error, times);
      if (problem !== undefined) report(key, consumer, problem);
    },
    problems: () => problems.all(),
    deadLetters: () =>
      problems.all().flatMap((problem) => {
        const failure = failures.get(problem.object);
        return failure?.nextAttempt === undefined ? [] : [{ ...problem, attempts: failure.attempts, nextAttempt: failure.nextAttempt }];
      }),
  };
}
