import { isApiError, type Resource, type UnstructuredObject } from '@hawser/client';
import { type Problem, type Result, WriteBudget, done } from '@hawser/controller';
import { type ClusterKey, parseClusterKey } from '@hawser/informer';

import { type PairPorts, act } from './act.js';
import { Announcer } from './announcer.js';
import { isMarked } from './choose-copy.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { RELEASE } from './marks.js';
import { decideNextLook, inStep, resultOf } from './next-look.js';
import { ObjectMemory } from './object-memory.js';
import { ObjectOpener, type OpenedObject } from './open-object.js';
import { StepError, observedOf, runPair } from './pair.js';
import { pauseOf } from './pause.js';
import { primaryPorts, subjectOf } from './primary.js';
import { lastingProblemOf, problemOf, sideOf, unhandledProblem } from './problem-of.js';
import type { ReconcileOptions } from './reconcile-options.js';
import { RelatedOfObject } from './related-of-object.js';
import { isRelatedTo } from './related-pair-run.js';
import { clusterOf } from './related-uses.js';
import type { StateDraft } from './state-draft.js';
import { endpointId } from './vanished.js';
import { held, waiting } from './verdicts.js';

/** Reconciles one published object, its copy and its related objects. */
export interface Reconciler {
  reconcile(key: string, signal: AbortSignal): Promise<Result>;
  /** The steps that would be taken now. Writes nothing. */
  plan(key: string): Decision;
  /** An object may be out of step although its versions are those of the last look. */
  unsettle(key: string): void;
  /** Retries whatever the object and its related ones wait for: a person requests it. */
  retry(key: string): void;
  /** Sends again what a server did not store as sent. */
  forgetRefusals(): void;
  /** Remembered or reported objects of these workspaces. */
  knownIn(clusters: ReadonlySet<string>): readonly string[];
  /** Objects that the filter excludes. */
  readonly notSelected: ReadonlySet<string>;
  /** Objects whose related ones wait, perhaps until all their users are known; the call empties the list. */
  takeAwaitingSurvey(): readonly string[];
  /** A step was carried out for this object, or for a related one of it. */
  acted(key: string, action: Action): void;
  /** Milliseconds until the next try after a failed look at an object, if it is parked. */
  retriesInMs(key: string): number | undefined;
}

/**
 * Rate limit for changes of one object and its related ones: a thousand changes a second must not load the other side's
 * API server.
 */
const PACE = { burst: 50, refillMs: 200 } as const;

/** Actions that repeat for each change. */
const REPEATED: ReadonlySet<Action['type']> = new Set(['patch', 'writeStatusBack', 'writeStatusForward']);

export function createReconciler(options: ReconcileOptions): Reconciler {
  return new PublishedObjects(options);
}

class PublishedObjects implements Reconciler {
  readonly notSelected = new Set<string>();
  readonly #options: ReconcileOptions;
  readonly #memory: ObjectMemory;
  readonly #pace = new WriteBudget(PACE);
  readonly #opener: ObjectOpener;
  readonly #announcer: Announcer;
  readonly #related: RelatedOfObject;

  constructor(options: ReconcileOptions) {
    this.#options = options;
    this.#memory = new ObjectMemory(options.clock);
    this.#opener = new ObjectOpener(options, this.#memory);
    this.#announcer = new Announcer(options, this.#memory);
    this.#related = new RelatedOfObject(options, this.#memory, this.#announcer);
  }

  plan(key: string): Decision {
    try {
      const opened = this.#opener.open(parseClusterKey(key), key);
      return opened.kind === 'nothing' ? opened.decision : this.#decide(opened);
    } catch (error) {
      const problem = unhandledProblem(error, Infinity);
      if (problem === undefined) throw error;
      return held(problem.reason, problem.message, problem.actor);
    }
  }

  unsettle(key: string): void {
    this.#memory.unsettle(key);
  }

  retry(key: string): void {
    this.#memory.unsettle(key);
    this.#options.failures.retryNow((asked) => asked === key || isRelatedTo(key, asked));
    this.#announcer.retry(key);
  }

  forgetRefusals(): void {
    this.#memory.forgetRefusals();
  }

  knownIn(clusters: ReadonlySet<string>): readonly string[] {
    const reported = this.#options.reports.problems().map(({ object }) => object);
    const keys = new Set([...this.notSelected, ...this.#memory.keys(), ...reported]);
    return [...keys].filter((key) => clusters.has(clusterOf(key)));
  }

  takeAwaitingSurvey(): readonly string[] {
    const keys = [...this.#memory.awaitingSurvey];
    this.#memory.awaitingSurvey.clear();
    return keys;
  }

  acted(key: string, { type }: Action): void {
    if (REPEATED.has(type)) this.#pace.spend(key, this.#options.clock.monotonic());
  }

  retriesInMs(key: string): number | undefined {
    return this.#memory.retriesInMs(key);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const identity = parseClusterKey(key);
    this.#memory.forgetRetry(key);
    const opened = this.#opener.open(identity, key);
    if (opened.kind === 'nothing') return this.#conclude(identity, key, opened.decision);
    let result: Result;
    this.#memory.unsettle(key);
    try {
      result = await this.#work(opened, signal);
    } catch (error) {
      await this.#flush(opened, signal);
      throw error;
    }
    await this.#flush(opened, signal);
    if (result === inStep) {
      this.#memory.settle(key, { ...opened.view, path: opened.path });
      this.#options.state.believe(subjectOf(this.#options.primary, identity));
    }
    return result;
  }

  get #onKcp(): Resource {
    return this.#options.primary.kinds.kcp.resource;
  }

  #decide({ view, settings }: OpenedObject): Decision {
    return decide(observedOf(view, this.#options.clock.now()), settings);
  }

  /** No work on the object is possible. */
  #conclude(identity: ClusterKey, key: string, decision: Decision): Result {
    const { related, state, kcp, primary } = this.#options;
    this.#settle(key, identity, undefined, decision, []);
    // Whether or not it can be looked at, it has its recorded objects.
    if (!related.surveyed && primary.rules.related.length > 0)
      related.expect(key, state.open(subjectOf(primary, identity)).records);
    if (decision.verdict.kind === 'absent' && kcp.engagementOf(identity.cluster) === undefined)
      this.#forget(key, state.has(subjectOf(primary, identity)));
    // The watch may have delivered the copy only now.
    if (decision.verdict.kind === 'inStep') this.#share(identity);
    return resultOf(decision.requeueAfterMs);
  }

  /** Writes the remembered content even if a later step failed. */
  async #flush({ key, identity: { cluster }, draft, view }: OpenedObject, signal: AbortSignal): Promise<void> {
    try {
      const { url, workspaces } = this.#options.kcp.engagementOf(cluster) ?? {};
      const path = workspaces?.pathOf(cluster);
      await this.#options.state.flush(
        draft,
        signal,
        path === undefined || url === undefined ? undefined : { path, endpoint: endpointId(url) },
      );
    } catch (error) {
      const problem = problemOf(error, 'service', 'object');
      if (problem !== undefined)
        this.#options.reports.setProblems(key, cluster, view.source, [
          { ...problem, message: `What was synced last cannot be remembered: ${problem.message}`, actor: 'operator' },
        ]);
      throw error;
    }
  }

  async #work(opened: OpenedObject, signal: AbortSignal): Promise<Result> {
    const { key, identity, view, draft } = opened;
    const { related, primary, retirement } = this.#options;
    related.expect(key, draft.records);
    if (pauseOf(view, primary.pause) !== undefined && retirement() === undefined) {
      // Its related objects wait with it.
      const decision = this.#decide(opened);
      this.#settle(key, identity, view.source, decision, []);
      return resultOf(decision.requeueAfterMs);
    }
    if (await this.#isDeletionUndone(opened, signal)) {
      this.#settle(key, identity, view.source, waiting('cache'), []);
      return done;
    }
    const { source } = view;
    const ending = source?.metadata.deletionTimestamp !== undefined || retirement() !== undefined;
    if (
      source !== undefined &&
      ending &&
      hasFinalizer(source) &&
      (source.metadata.annotations?.[RELEASE] ?? '') === ''
    ) {
      const wait = await this.#related.cleanUp(opened, signal);
      if (wait !== undefined) {
        this.#settle(key, identity, source, waiting('copyToGo'), wait.problems);
        if (wait.error !== undefined) throw wait.error;
        return resultOf(wait.requeueAfterMs);
      }
    }
    const paceMs = ending ? 0 : this.#pace.waitMs(key, this.#options.clock.monotonic());
    return paceMs > 0 ? resultOf(paceMs) : this.#bringInStep(opened, signal);
  }

  /**
   * Reads a deletion live before anything goes because of it: after a restored backup, the cache shows another state
   * for a while. An event brings the object back when the cache shows the present one.
   */
  async #isDeletionUndone(opened: OpenedObject, signal: AbortSignal): Promise<boolean> {
    const { key, identity, view } = opened;
    const { source, destination, remembered } = view;
    if (source?.metadata.deletionTimestamp === undefined || !(hasFinalizer(source) || remembered)) return false;
    const action: Action = { type: 'confirmDeletion', destination };
    try {
      const { source: live, memory } = await act(action, this.#portsOf(opened), signal);
      view.source = live ?? source;
      view.memory = { ...view.memory, ...memory };
      return view.source.metadata.deletionTimestamp === undefined;
    } catch (error) {
      this.#fail(key, identity.cluster, source, new StepError(action, error));
    }
  }

  /** Brings the object and its copy in step, and then its related objects. */
  async #bringInStep(opened: OpenedObject, signal: AbortSignal): Promise<Result> {
    const { key, identity, view, draft } = opened;
    const former = this.#related.formerOf(opened);
    const decision = await this.#runPair(opened, signal);
    if (this.#memory.looked(key, view, decision) === 'over') this.#forget(key, false);
    if (decision.verdict.kind === 'inStep') this.#share(identity);
    const outcome = await this.#related.sync(opened, decision, former, signal);
    // Also for an object that looks well: a write undone just now will be undone again.
    const standing = this.#options.failures.standing(key, decision.actions);
    this.#settle(key, identity, view.source, decision, [
      ...(standing === undefined ? [] : [standing.problem]),
      ...(outcome?.problems ?? []),
      ...(outcome?.unresolved ?? []),
      ...tooLarge(draft),
    ]);
    if (outcome?.error !== undefined) throw outcome.error;
    return decideNextLook({
      decision,
      relatedAfterMs: outcome?.requeueAfterMs,
      standing,
      hasMore:
        this.#options.primary.rules.related.length > 0 ||
        draft.records.length > 0 ||
        this.#memory.of(key) !== undefined,
    });
  }

  #portsOf({ identity, draft, client }: OpenedObject): PairPorts {
    const { primary, kcp } = this.#options;
    const observe = (object: UnstructuredObject): void => {
      kcp.cache(this.#onKcp, identity.cluster)?.observe(object);
    };
    return primaryPorts(primary, identity, { client, observe }, draft, (aborted) => this.#removeState(draft, aborted));
  }

  async #runPair(opened: OpenedObject, signal: AbortSignal): Promise<Decision> {
    const { key, identity, view, settings } = opened;
    const { clock, failures, reports } = this.#options;
    const { source } = view;
    try {
      return await runPair(view, {
        settings,
        ports: this.#portsOf(opened),
        now: () => clock.now(),
        failures,
        id: key,
        acted: (action, result) => {
          this.acted(key, action);
          const about = view.source ?? source;
          if (about !== undefined) reports.acted(identity.cluster, about, action, result);
        },
        signal,
      });
    } catch (error) {
      this.#memory.interrupted(key, view.memory);
      if (error instanceof StepError) this.#fail(key, identity.cluster, view.source, error);
      throw error;
    }
  }

  async #removeState(draft: StateDraft, signal: AbortSignal): Promise<void> {
    draft.discard();
    if ((await this.#options.state.remove(draft.subject, signal)) === 'left') this.#options.onStateLeft();
  }

  /** Keeps equal parts of an object in step only once in both caches. */
  #share(identity: ClusterKey): void {
    const source = this.#options.kcp.cache(this.#onKcp, identity.cluster)?.get(identity);
    const found = this.#options.copies.of(identity);
    const copy = found.find(isMarked) ?? found[0];
    if (source !== undefined && copy !== undefined) this.#options.copies.share(copy, source);
  }

  /** `remembered`: the state Secret still exists, and with it the object's shares. */
  #forget(key: string, remembered: boolean): void {
    this.#memory.forget(key);
    this.#announcer.gone(key);
    this.#options.dependencies.forget(key);
    if (!remembered) this.#options.related.forget(key);
  }

  #settle(
    key: string,
    { cluster }: ClusterKey,
    source: UnstructuredObject | undefined,
    { verdict }: Decision,
    more: readonly Problem[],
  ): void {
    const { failures, reports } = this.#options;
    this.#countSelection(
      key,
      verdict.kind === 'notSelected' || (verdict.kind === 'held' && verdict.reason === 'NotSelected'),
    );
    switch (verdict.kind) {
      case 'absent':
        failures.gone(key);
        reports.forget(key);
        return;
      case 'orphan':
        reports.orphan(key, verdict.message);
        return;
      case 'held':
        reports.setProblems(key, cluster, source, [verdict, ...more]);
        return;
      case 'progressing':
        // Its reports stay until they are known to be over, unless there is a new one.
        if (more.length > 0) reports.setProblems(key, cluster, source, more);
        return;
      case 'inStep':
      case 'notSelected':
        reports.setProblems(key, cluster, source, more);
    }
  }

  #countSelection(key: string, leftOut: boolean): void {
    if (leftOut === this.notSelected.has(key)) return;
    if (leftOut) this.notSelected.add(key);
    else this.notSelected.delete(key);
    this.#options.onSelection();
  }

  /** Handles a failed step: reports it at once if waiting does not help, later if it lasts. */
  #fail(key: string, cluster: string, source: UnstructuredObject | undefined, { action, cause }: StepError): never {
    const side = sideOf(action, 'kcp');
    const atOnce = problemOf(cause, side, action.type === 'writeStatusBack' ? 'status' : 'object');
    const { problem, nextAttempt } = this.#options.failures.failed(key, action, {
      atOnce,
      later: lastingProblemOf(cause, side),
    });
    this.#memory.retriesAt(key, nextAttempt);
    if (problem !== undefined) this.#options.reports.setProblems(key, cluster, source, [problem]);
    throw isApiError(cause) ? cause : new Error('a step failed', { cause });
  }
}

function tooLarge({ tooLarge: owners, secretName }: StateDraft): readonly Problem[] {
  return owners.map((owner) => ({
    reason: 'StateTooLarge',
    message: `What was synced last of ${owner.kind} "${owner.name}" does not fit into the state Secret ${secretName}, so fields that are removed from it will stay on its copy. Make the object smaller, or refer to fewer.`,
    actor: 'provider',
  }));
}
