import { isConflict, isObjectNotFound, keyOf, messageOf, type UnstructuredObject } from '@hawser/client';
import { type Failures, createFailures } from '@hawser/controller';
import { canonical } from '@hawser/json';

import { announce, announcements } from './announce.js';
import { smallest } from './next-look.js';
import type { ObjectMemory } from './object-memory.js';
import type { OpenedObject } from './open-object.js';
import { announcementUndone, lastingProblemOf, problemOf } from './problem-of.js';
import type { ReconcileOptions } from './reconcile-options.js';
import type { RelatedOutcome } from './related-run.js';

type Wrong = NonNullable<ReturnType<typeof announcements>>;

/** Writes the names of related objects on objects of kcp, and reports failures of that. */
export class Announcer {
  readonly #options: ReconcileOptions;
  readonly #memory: ObjectMemory;
  /** Failed annotations, as they should be. */
  readonly #failures: Failures<string>;

  constructor(options: ReconcileOptions, memory: ObjectMemory) {
    const { clock, random } = options;
    this.#options = options;
    this.#memory = memory;
    this.#failures = createFailures<string>(clock, (step) => step, { effortOf: (step) => step, random });
  }

  gone(key: string): void {
    this.#failures.gone(key);
  }

  retry(key: string): void {
    this.#failures.retryNow((asked) => asked === key);
  }

  /** The outcome of the related objects, with the outcome of naming them. */
  async announce(
    opened: OpenedObject,
    source: UnstructuredObject,
    outcome: RelatedOutcome,
    signal: AbortSignal,
  ): Promise<RelatedOutcome> {
    const { key } = opened;
    const wrong = announcements(source, outcome.placed, outcome.kept);
    if (wrong === undefined) {
      const standing = this.#failures.standing(key, []);
      return standing === undefined ? outcome : withProblem(outcome, standing.problem, Math.max(1, standing.forMs));
    }
    const step = `${source.metadata.uid ?? ''}/${canonical(wrong)}`;
    const undone = this.#failures.undone(key, step);
    if (undone !== undefined && undone.problem === undefined)
      this.#failures.reportUndone(key, step, announcementUndone(), true);
    const waitMs = this.#failures.waits(key, step);
    if (waitMs > 0) return withProblem(outcome, this.#failures.standing(key, [step])?.problem, waitMs);
    return this.#write(opened, source, wrong, step, outcome, signal);
  }

  async #write(
    { key, identity, client, view }: OpenedObject,
    source: UnstructuredObject,
    wrong: Wrong,
    step: string,
    outcome: RelatedOutcome,
    signal: AbortSignal,
  ): Promise<RelatedOutcome> {
    const { kcp, primary } = this.#options;
    const { resource } = primary.kinds.kcp;
    try {
      const written = await announce(client, resource, source, wrong, signal);
      this.#failures.succeeded(key, step);
      kcp.cache(resource, identity.cluster)?.observe(written);
      view.source = written;
      return outcome;
    } catch (error) {
      // Its event will bring it back.
      if (isConflict(error) || isObjectNotFound(error, resource, keyOf(source)))
        return withProblem(outcome, undefined, 1_000);
      if (signal.aborted) throw error;
      const { problem, nextAttempt } = this.#failures.failed(key, step, {
        atOnce: problemOf(error, 'kcp', 'object'),
        later: lastingProblemOf(error, 'kcp'),
      });
      if (outcome.error === undefined) this.#memory.retriesAt(key, nextAttempt);
      return {
        ...withProblem(outcome, problem, undefined),
        error: outcome.error ?? (error instanceof Error ? error : new Error(messageOf(error))),
      };
    }
  }
}

function withProblem(
  outcome: RelatedOutcome,
  problem: RelatedOutcome['problems'][number] | undefined,
  afterMs: number | undefined,
): RelatedOutcome {
  return {
    ...outcome,
    problems: [...outcome.problems, ...(problem === undefined ? [] : [problem])],
    requeueAfterMs: smallest(outcome.requeueAfterMs, afterMs),
  };
}
