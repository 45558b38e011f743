import type { Clock } from '@hawser/clock';
import { type Failures, type ObjectProblem, type Problem, type Problems, createProblems } from '@hawser/controller';
import type { EventRecorder, Logger } from '@hawser/telemetry';

import type { PairTypes, PairWords } from './role.js';

/** A pair whose steps keep being refused. It is parked: the same step is retried with growing delays. */
export interface DeadLetter extends ObjectProblem {
  /** Refusals in a row. */
  readonly attempts: number;
  /** Latest time of the next try, in milliseconds since the epoch. */
  readonly nextAttempt: number;
}

export interface PairReportsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** Called when a problem or dead letter has changed. */
  readonly changed: () => void;
}

/** Reports pairs to people: problems, Events, and parked steps. */
export class PairReports<T extends PairTypes> {
  readonly #words: PairWords<T>;
  readonly #failures: Failures<T['action']>;
  readonly #options: PairReportsOptions;
  readonly #problems: Problems;

  constructor(words: PairWords<T>, failures: Failures<T['action']>, options: PairReportsOptions) {
    this.#words = words;
    this.#failures = failures;
    this.#options = options;
    this.#problems = createProblems(() => options.clock.now(), options.changed);
  }

  problems(): readonly ObjectProblem[] {
    return this.#problems.all();
  }

  problemOf(key: string): ObjectProblem | undefined {
    return this.#problems.get(key);
  }

  deadLetters(): readonly DeadLetter[] {
    return this.#problems.all().flatMap((problem) => {
      const failure = this.#failures.get(problem.object);
      return failure?.nextAttempt === undefined
        ? []
        : [{ ...problem, attempts: failure.attempts, nextAttempt: failure.nextAttempt }];
    });
  }

  /**
   * No step is due. Returns the milliseconds after which a reported problem may be over, if it stands despite the
   * decision.
   */
  settled(key: string, observed: T['observed'], decision: T['decision']): number | undefined {
    const { verdict, actions } = decision;
    switch (verdict.kind) {
      case 'absent':
      case 'notSelected':
        this.#failures.gone(key);
        this.#over(key);
        return undefined;
      case 'inStep':
      case 'rewritten': {
        const standing = this.#failures.standing(key, actions);
        if (standing === undefined) this.#over(key);
        else this.report(key, observed, standing.problem);
        return standing?.forMs;
      }
      case 'progressing':
        if (verdict.overdue !== undefined) this.report(key, observed, verdict.overdue);
        return undefined;
      case 'orphan':
      case 'held': {
        const standing = this.#words.standing(observed, decision);
        if (standing === undefined) this.#over(key);
        else this.report(key, observed, standing.problem, standing.onObject);
        return undefined;
      }
    }
  }

  refused(key: string, observed: T['observed'], action: T['action'], error: unknown): void {
    const { nextAttempt, problem } = this.#failures.failed(key, action, this.#words.refused(action, error));
    if (problem !== undefined) this.report(key, observed, problem);
    if (nextAttempt !== undefined) this.#options.changed();
  }

  threw(key: string, error: unknown, times: number): void {
    const problem = this.#words.unhandled(error, times);
    if (problem !== undefined) this.report(key, undefined, problem);
  }

  /** `onObject`: also by an Event on the object. */
  report(key: string, observed: T['observed'] | undefined, { reason, message, actor }: Problem, onObject = true): void {
    const isNew = this.#problems.set(key, { reason, message, actor });
    const subject = isNew && onObject ? this.#words.subjectOf(key, observed) : undefined;
    this.#words.reported?.(key, observed, isNew ? subject !== undefined : undefined);
    if (!isNew) return;
    this.#options.logger.warn('object not in step', { object: key, reason, actor });
    if (subject !== undefined) this.#options.events.record(subject, { type: 'Warning', reason, message });
  }

  #over(key: string): void {
    this.#problems.clear(key);
    this.#words.over?.(key);
  }
}
