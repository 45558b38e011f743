import {
  type Client,
  isApiError,
  isConflict,
  isObjectNotFound,
  keyOf,
  type Resource,
  type UnstructuredObject,
  messageOf,
} from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type Failures, type Problem, type Result, createFailures, done } from '@hawser/controller';
import { type ClusterKey, parseClusterKey } from '@hawser/informer';
import { canonical } from '@hawser/json';

import { announce, announcements } from './announce.js';
import { chooseCopy, isMarked, mayBeCopy } from './choose-copy.js';
import type { Copies } from './copies.js';
import { versionOf } from './decide-content.js';
import { placeOf } from './decide-creation.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Dependencies } from './dependencies.js';
import { hasFinalizer } from './finalizer.js';
import type { KcpCaches } from './kcp-caches.js';
import { RELEASE } from './marks.js';
import type { PairMemory, PairSettings, Placement, Retirement } from './observed.js';
import { isOfAnotherAgent } from './other-agent.js';
import { type PairView, StepError, observedOf, runPair } from './pair.js';
import { pauseOf } from './pause.js';
import {
  type PrimaryOptions,
  ownerOfPrimary,
  placementOf,
  primaryPorts,
  primarySettings,
  subjectOf,
} from './primary.js';
import { announcementUndone, lastingProblemOf, problemOf, sideOf, unhandledProblem } from './problem-of.js';
import type { Related, RelatedOutcome } from './related.js';
import { clusterOf } from './related-uses.js';
import type { Reports } from './reports.js';
import type { PrimaryPair } from './rules.js';
import { selectionOf } from './selection.js';
import { namespaces } from './service-namespaces.js';
import type { StateDraft } from './state-draft.js';
import type { StateStore } from './state-store.js';
import { changesSince } from './three-way.js';
import { endpointId } from './vanished.js';
import { held, waiting } from './verdicts.js';

export interface ReconcileOptions {
  readonly primary: PrimaryOptions;
  readonly kcp: KcpCaches;
  readonly copies: Copies;
  readonly state: StateStore;
  readonly related: Related;
  readonly dependencies: Dependencies;
  readonly failures: Failures<Action>;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly random: Random;
  readonly retirement: () => Retirement | undefined;
  /** Whether a primary of another sync refers to this object. */
  readonly isRelatedElsewhere: (object: ClusterKey) => boolean;
  /** State Secrets cannot be deleted. */
  readonly onStateLeft: () => void;
  /** Another object than before is left out by the filter. */
  readonly onSelection: () => void;
}

/** Looks at one published object, its copy and its related objects. */
export interface Reconciler {
  reconcile(key: string, signal: AbortSignal): Promise<Result>;
  /** What would be done now. Writes nothing. */
  plan(key: string): Decision;
  /** An object may not be in step although its versions are those with which it was. */
  unsettle(key: string): void;
  /** What a server did not store as it was sent is sent once more. */
  forgetRefusals(): void;
  /** Objects of these workspaces of which anything is remembered or told. */
  knownIn(clusters: ReadonlySet<string>): readonly string[];
  /** Objects that the filter leaves out. */
  readonly notSelected: ReadonlySet<string>;
  /** Objects whose related ones wait, perhaps until it is known who else uses them; asking empties the list. */
  takeAwaitingSurvey(): readonly string[];
  /** In how many milliseconds what failed at the last look at an object is tried again, where it is parked. */
  retriesInMs(key: string): number | undefined;
}

/** How long the deletion of an object waits for related objects that cannot be found. */
const UNRESOLVED_GRACE_MS = 60_000;

/** Longer than a status that somebody else keeps writing is left alone. */
const STATUS_WRITE_MATTERS_MS = 600_000;

interface StatusWrite {
  readonly written: NonNullable<PairMemory['statusWritten']>;
  readonly at: number;
}

/** What is there to work on, or why nothing can be done. */
type Opened =
  | { readonly kind: 'nothing'; readonly decision: Decision }
  | {
      readonly kind: 'opened';
      readonly view: PairView;
      readonly settings: PairSettings;
      readonly draft: StateDraft;
      readonly client: Client;
      readonly path: string | undefined;
    };

export function createReconciler(options: ReconcileOptions): Reconciler {
  return new PublishedObjects(options);
}

class PublishedObjects implements Reconciler {
  readonly notSelected = new Set<string>();
  readonly #options: ReconcileOptions;
  readonly #rules: PrimaryOptions['rules'];
  readonly #onKcp: Resource;
  readonly #memories = new Map<string, PairMemory>();
  /** Who has written copies whose marks do not tell, as live answers have it. */
  readonly #writers = new Map<string, NonNullable<PairMemory['written']>>();
  readonly #unresolvedSince = new Map<string, number>();
  /** Versions of both sides with which an object was last found in step: the echoes of our own writes need not be looked at again. */
  readonly #inStep = new Map<string, string>();
  /** What was last written to workspaces as status, the latest last: for each object, but only while it matters. */
  readonly #statusWrites = new Map<string, StatusWrite>();
  /** When what failed at the last look is tried again, in milliseconds since the epoch. */
  readonly #retries = new Map<string, number>();
  /** Annotations that name related objects, as they were to be written. */
  readonly #announcing: Failures<string>;
  readonly #awaitingSurvey = new Set<string>();

  constructor(options: ReconcileOptions) {
    const {
      primary: { kinds, rules },
      clock,
      random,
    } = options;
    this.#options = options;
    this.#rules = rules;
    this.#onKcp = kinds.kcp.resource;
    this.#announcing = createFailures<string>(clock, (step) => step, { effortOf: (step) => step, random });
  }

  plan(key: string): Decision {
    try {
      const opened = this.#open(parseClusterKey(key), key);
      return opened.kind === 'nothing'
        ? opened.decision
        : decide(observedOf(opened.view, this.#options.clock.now()), opened.settings);
    } catch (error) {
      const problem = unhandledProblem(error, Infinity);
      if (problem === undefined) throw error;
      return held(problem.reason, problem.message, problem.actor);
    }
  }

  unsettle(key: string): void {
    this.#inStep.delete(key);
  }

  forgetRefusals(): void {
    for (const [key, memory] of this.#memories)
      this.#memories.set(key, { ...memory, statusRefused: undefined, agreement: undefined });
  }

  knownIn(clusters: ReadonlySet<string>): readonly string[] {
    const keys = [
      this.notSelected,
      this.#memories.keys(),
      this.#inStep.keys(),
      this.#unresolvedSince.keys(),
      this.#options.reports.problems().map(({ object }) => object),
    ].flatMap((each) => [...each]);
    return [...new Set(keys)].filter((key) => clusters.has(clusterOf(key)));
  }

  takeAwaitingSurvey(): readonly string[] {
    const keys = [...this.#awaitingSurvey];
    this.#awaitingSurvey.clear();
    return keys;
  }

  retriesInMs(key: string): number | undefined {
    const at = this.#retries.get(key);
    return at === undefined ? undefined : at - this.#options.clock.now();
  }

  #open(identity: ClusterKey, key: string): Opened {
    const { cluster } = identity;
    const nothing = (decision: Decision): Opened => ({ kind: 'nothing', decision });
    const engagement = this.#options.kcp.engagementOf(cluster);
    const found = this.#options.copies.of(identity);
    if (engagement === undefined) {
      if (!found.some((copy) => !this.#isForeign(copy) && mayBeCopy(copy)))
        return nothing({ actions: [], verdict: { kind: 'absent' } });
      return nothing({
        actions: [],
        verdict: {
          kind: 'orphan',
          message: `The copy belongs to workspace ${cluster}, which is deleted, unbound, or not reachable at present. It is kept. It goes on by itself if the workspace comes back; delete the copy if nobody needs it.`,
        },
      });
    }
    const cache = this.#options.kcp.cache(this.#onKcp, cluster);
    if (cache?.hasSynced !== true) return nothing(waiting('cache'));
    const source = cache.get(identity);
    const memory = this.#memories.get(key) ?? {};
    if (source?.metadata.uid !== undefined && source.metadata.uid === memory.released)
      return nothing({ actions: [], verdict: { kind: 'absent' } });
    const deleting = source?.metadata.deletionTimestamp !== undefined;
    const mayBeInStep = this.#options.retirement() === undefined && this.#memories.get(key) === undefined;
    const path = this.#rules.workspacePaths ? engagement.workspaces.pathOf(cluster) : undefined;
    // Hashes and all: not for an object in step.
    const settingsOf = (): PairSettings => ({
      ...primarySettings(this.#options.primary, identity, path),
      forcedDeletion: this.#options.retirement() === 'drain',
      letGo: this.#options.retirement() === 'keep',
      ...(this.#options.retirement() === undefined ? {} : { pause: undefined }),
    });
    const placement = (object: UnstructuredObject): Placement =>
      placementOf(this.#options.primary, object, cluster, path);
    const chosen = chooseCopy(found, () =>
      source === undefined ? undefined : placeOf(source, settingsOf(), placement),
    );
    // Of an ended publication that keeps copies: whatever they are, and whatever the filter says, the object is let go.
    const keepsCopies = this.#options.retirement() === 'keep';
    if (chosen.kind === 'several' && !keepsCopies) {
      const places = chosen.copies
        .map(({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`))
        .sort()
        .join(' and ');
      return nothing(
        held(
          'TwoCopies',
          `On the service cluster, ${places} both bear the marks of this object. Nothing is written until one of them is deleted, or loses its labels syncagent.kcp.io/remote-object-*.`,
          'provider',
        ),
      );
    }
    const destination = chosen.kind === 'one' ? chosen.copy : undefined;
    if (this.#rules.workspacePaths && path === undefined && source !== undefined && !deleting && !keepsCopies)
      return nothing(waiting('workspacePath'));
    const selection =
      source === undefined || keepsCopies
        ? 'selected'
        : selectionOf(
            source,
            cluster,
            this.#rules.filter,
            this.#rules.filter.namespace === undefined ? undefined : this.#options.kcp.cache(namespaces, cluster),
          );
    if (selection === 'notReady') return nothing(waiting('cache'));
    if (selection === 'unknown')
      return nothing(
        held(
          'NamespaceNotVisible',
          'Whether this object is to be synced depends on the labels of its namespace, which this workspace does not show. Accept the permission claim on namespaces in the APIBinding.',
          'consumer',
        ),
      );
    if (
      selection === 'selected' &&
      mayBeInStep &&
      this.#inStep.get(key) === standOf(source, destination, path) &&
      this.#options.state.has(subjectOf(this.#options.primary, identity))
    ) {
      return nothing({ actions: [], verdict: { kind: 'inStep' } });
    }
    const draft = this.#options.state.open(subjectOf(this.#options.primary, identity));
    const view: PairView = {
      source,
      destination,
      standing: chosen.kind === 'one' ? chosen.standing : undefined,
      last: draft.last(ownerOfPrimary(this.#options.primary, identity)),
      remembered: draft.exists,
      // What stood in the way may have gone.
      memory: {
        ...memory,
        written: this.#writers.get(key),
        occupant: undefined,
        statusWritten: this.#statusWrites.get(key)?.written,
        ...(deleting && hasFinalizer(source) ? { deletionSeen: true as const } : {}),
        ...(chosen.kind === 'several' ? { gone: 'none' } : {}),
      },
      placement,
      neededElsewhere: () => this.#options.isRelatedElsewhere(identity),
      selected: selection === 'selected',
    };
    return { kind: 'opened', view, settings: settingsOf(), draft, client: engagement.clientFor(cluster), path };
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const identity = parseClusterKey(key);
    this.#retries.delete(key);
    const opened = this.#open(identity, key);
    if (opened.kind === 'nothing') {
      this.#settle(key, identity, undefined, opened.decision, []);
      // Whether or not it can be looked at, it has what was written down.
      if (!this.#options.related.surveyed && this.#rules.related.length > 0)
        this.#options.related.expect(key, this.#options.state.open(subjectOf(this.#options.primary, identity)).records);
      if (opened.decision.verdict.kind === 'absent' && this.#options.kcp.engagementOf(identity.cluster) === undefined)
        this.#forget(key, this.#options.state.has(subjectOf(this.#options.primary, identity)));
      // The watch may have shown the copy only now.
      if (opened.decision.verdict.kind === 'inStep') this.#share(identity);
      return resultOf(opened.decision.requeueAfterMs);
    }
    let result: Result;
    this.#inStep.delete(key);
    try {
      result = await this.#work(key, identity, opened, signal);
    } catch (error) {
      await this.#flush(key, identity.cluster, opened, signal);
      throw error;
    }
    await this.#flush(key, identity.cluster, opened, signal);
    if (result === inStep) this.#inStep.set(key, standOf(opened.view.source, opened.view.destination, opened.path));
    return result;
  }

  /** What was pushed is remembered even if a later step failed. */
  async #flush(
    key: string,
    cluster: string,
    { draft, view }: Extract<Opened, { kind: 'opened' }>,
    signal: AbortSignal,
  ): Promise<void> {
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
        this.#options.reports.tell(key, cluster, view.source, [
          { ...problem, message: `What was synced last cannot be remembered: ${problem.message}`, actor: 'operator' },
        ]);
      throw error;
    }
  }

  async #work(
    key: string,
    identity: ClusterKey,
    opened: Extract<Opened, { kind: 'opened' }>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { view, draft } = opened;
    const { source } = view;
    this.#options.related.expect(key, draft.records);
    if (pauseOf(view, this.#options.primary.pause) !== undefined && this.#options.retirement() === undefined) {
      // Its related objects wait with it.
      const decision = decide(observedOf(view, this.#options.clock.now()), opened.settings);
      this.#settle(key, identity, source, decision, []);
      return resultOf(decision.requeueAfterMs);
    }
    const ending = source?.metadata.deletionTimestamp !== undefined || this.#options.retirement() !== undefined;
    if (
      source !== undefined &&
      ending &&
      hasFinalizer(source) &&
      (source.metadata.annotations?.[RELEASE] ?? '') === ''
    ) {
      const waits = await this.#cleanUpRelated(key, identity, opened, signal);
      if (waits !== undefined) return waits;
    }
    const former = this.#formerOf(identity, opened);
    let decision: Decision;
    try {
      decision = await runPair(view, {
        settings: opened.settings,
        ports: primaryPorts(
          this.#options.primary,
          identity,
          {
            client: opened.client,
            observe: (object) => {
              this.#options.kcp.cache(this.#onKcp, identity.cluster)?.observe(object);
            },
          },
          draft,
          (aborted) => this.#removeState(draft, aborted),
        ),
        now: () => this.#options.clock.now(),
        failures: this.#options.failures,
        id: key,
        acted: (action, result) => {
          const about = view.source ?? source;
          if (about !== undefined) this.#options.reports.acted(identity.cluster, about, action, result);
        },
        signal,
      });
    } catch (error) {
      this.#memories.set(key, view.memory);
      this.#rememberStatusWrite(key, view.memory);
      if (error instanceof StepError) this.#fail(key, identity.cluster, view.source, error);
      throw error;
    }
    this.#remember(key, view, decision);
    this.#rememberStatusWrite(key, view.memory);
    if (decision.verdict.kind === 'inStep') this.#share(identity);
    const outcome = await this.#syncRelated(key, identity, opened, decision, former, signal);
    const tooLarge = draft.tooLarge.map((owner): Problem => ({
      reason: 'StateTooLarge',
      message: `What was synced last of ${owner.kind} "${owner.name}" does not fit into the state Secret ${draft.secretName}, so fields that are removed from it will stay on its copy. Make the object smaller, or refer to fewer.`,
      actor: 'provider',
    }));
    // Of an object that looks well, too: what was undone just now will be again.
    const standing = this.#options.failures.standing(key, decision.actions);
    this.#settle(key, identity, view.source, decision, [
      ...(standing === undefined ? [] : [standing.problem]),
      ...(outcome?.problems ?? []),
      ...(outcome?.unresolved ?? []),
      ...tooLarge,
    ]);
    if (outcome?.error !== undefined) throw outcome.error;
    if (standing !== undefined)
      return resultOf(
        smallest(smallest(decision.requeueAfterMs, outcome?.requeueAfterMs), Math.max(1, standing.forMs)),
      );
    if (
      decision.verdict.kind === 'inStep' &&
      decision.requeueAfterMs === undefined &&
      this.#rules.related.length === 0 &&
      draft.records.length === 0 &&
      !this.#memories.has(key)
    )
      return inStep;
    return resultOf(smallest(decision.requeueAfterMs, outcome?.requeueAfterMs));
  }

  /** Related objects go before the copy that they belong to. Undefined: nothing is left of them that could be waited for. */
  async #cleanUpRelated(
    key: string,
    identity: ClusterKey,
    { view, draft, path }: Extract<Opened, { kind: 'opened' }>,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { source, destination } = view;
    if (source === undefined || (this.#rules.related.length === 0 && draft.records.length === 0)) return undefined;
    const pair =
      destination === undefined || this.#isForeign(destination)
        ? undefined
        : { kcp: source, service: destination, cluster: identity.cluster, path };
    const letGo = this.#options.retirement() === 'keep' && source.metadata.deletionTimestamp === undefined;
    const before = this.#unresolvedSince.get(key);
    const overdue = before !== undefined && this.#options.clock.now() - before >= UNRESOLVED_GRACE_MS;
    const outcome = await this.#options.related.run({
      key,
      identity,
      draft,
      primary: pair,
      deleting: true,
      overdue,
      letGo,
      signal,
    });
    this.#finish(key, outcome);
    const since = outcome.unresolved.length === 0 ? undefined : (before ?? this.#options.clock.now());
    if (since === undefined) this.#unresolvedSince.delete(key);
    else this.#unresolvedSince.set(key, since);
    // What became overdue meanwhile is left, and told, with the next look.
    const graceMs =
      since === undefined || overdue ? 0 : Math.max(1, since + UNRESOLVED_GRACE_MS - this.#options.clock.now());
    if (!outcome.pending && outcome.problems.length === 0 && outcome.error === undefined && graceMs <= 0)
      return undefined;
    this.#settle(key, identity, source, waiting('copyToGo'), [
      ...outcome.problems,
      ...outcome.unresolved.map((problem) => ({
        ...problem,
        message: `${problem.message} The deletion of this object waits for them for a minute, and then goes on without.`,
      })),
    ]);
    if (outcome.error !== undefined) throw outcome.error;
    return resultOf(smallest(outcome.requeueAfterMs, graceMs > 0 ? graceMs : undefined));
  }

  async #syncRelated(
    key: string,
    identity: ClusterKey,
    { view, draft, client, path }: Extract<Opened, { kind: 'opened' }>,
    { verdict }: Decision,
    former: PrimaryPair | undefined,
    signal: AbortSignal,
  ): Promise<RelatedOutcome | undefined> {
    const { source, destination } = view;
    if (this.#rules.related.length === 0 && draft.records.length === 0) return undefined;
    if (
      source === undefined ||
      destination === undefined ||
      !view.selected ||
      this.#isForeign(destination) ||
      this.#options.retirement() !== undefined
    )
      return undefined;
    if (
      source.metadata.deletionTimestamp !== undefined ||
      destination.metadata.deletionTimestamp !== undefined ||
      (verdict.kind === 'held' && verdict.reason === 'OtherAgent')
    )
      return undefined;
    const outcome = await this.#options.related.run({
      key,
      identity,
      draft,
      primary: { kcp: source, service: destination, cluster: identity.cluster, path },
      former,
      deleting: false,
      signal,
    });
    this.#finish(key, outcome);
    const wrong = announcements(source, outcome.placed, outcome.kept);
    if (wrong === undefined) {
      const standing = this.#announcing.standing(key, []);
      return standing === undefined
        ? outcome
        : {
            ...outcome,
            problems: [...outcome.problems, standing.problem],
            requeueAfterMs: smallest(outcome.requeueAfterMs, Math.max(1, standing.forMs)),
          };
    }
    const step = `${source.metadata.uid ?? ''}/${canonical(wrong)}`;
    const undone = this.#announcing.undone(key, step);
    if (undone !== undefined && undone.problem === undefined)
      this.#announcing.tellUndone(key, step, announcementUndone(), true);
    const waitMs = this.#announcing.waits(key, step);
    if (waitMs > 0) {
      const told = this.#announcing.standing(key, [step]);
      return {
        ...outcome,
        problems: [...outcome.problems, ...(told === undefined ? [] : [told.problem])],
        requeueAfterMs: smallest(outcome.requeueAfterMs, waitMs),
      };
    }
    try {
      const written = await announce(client, this.#onKcp, source, wrong, signal);
      this.#announcing.succeeded(key, step);
      this.#options.kcp.cache(this.#onKcp, identity.cluster)?.observe(written);
      view.source = written;
    } catch (error) {
      // Its event is on the way, and brings it back.
      if (isConflict(error) || isObjectNotFound(error, this.#onKcp, keyOf(source)))
        return { ...outcome, requeueAfterMs: smallest(outcome.requeueAfterMs, 1_000) };
      if (signal.aborted) throw error;
      const { problem, nextAttempt } = this.#announcing.failed(key, step, {
        atOnce: problemOf(error, 'kcp', 'object'),
        later: lastingProblemOf(error, 'kcp'),
      });
      if (outcome.error === undefined) this.#retriesAt(key, nextAttempt);
      return {
        ...outcome,
        problems: [...outcome.problems, ...(problem === undefined ? [] : [problem])],
        error: outcome.error ?? (error instanceof Error ? error : new Error(messageOf(error))),
      };
    }
    return outcome;
  }

  /** Both sides as they were when the object was pushed last, where a Go agent did that and the object has changed since. */
  #formerOf(
    identity: ClusterKey,
    { view: { source, destination, last }, draft, path }: Extract<Opened, { kind: 'opened' }>,
  ): PrimaryPair | undefined {
    if (
      this.#rules.related.length === 0 ||
      draft.records.length > 0 ||
      last.kind !== 'known' ||
      source === undefined ||
      destination === undefined
    )
      return undefined;
    if (
      !draft.remembersMoreThan(ownerOfPrimary(this.#options.primary, identity)) ||
      changesSince(last.snapshot, source, []) === undefined
    )
      return undefined;
    return {
      kcp: { ...last.snapshot, metadata: { ...source.metadata, ...last.snapshot.metadata } },
      service: destination,
      cluster: identity.cluster,
      path,
    };
  }

  #finish(key: string, { looked, pending, nextAttempt }: RelatedOutcome): void {
    this.#options.dependencies.set(key, looked);
    this.#retriesAt(key, nextAttempt);
    if (pending) this.#awaitingSurvey.add(key);
    else this.#awaitingSurvey.delete(key);
  }

  #retriesAt(key: string, nextAttempt: number | undefined): void {
    if (nextAttempt !== undefined) this.#retries.set(key, nextAttempt);
  }

  async #removeState(draft: StateDraft, signal: AbortSignal): Promise<void> {
    draft.discard();
    if ((await this.#options.state.remove(draft.subject, signal)) === 'left') this.#options.onStateLeft();
  }

  /** What both caches hold of an object in step they hold once. */
  #share(identity: ClusterKey): void {
    const source = this.#options.kcp.cache(this.#onKcp, identity.cluster)?.get(identity);
    const found = this.#options.copies.of(identity);
    const copy = found.find(isMarked) ?? found[0];
    if (source !== undefined && copy !== undefined) this.#options.copies.share(copy, source);
  }

  #remember(key: string, { memory, source, destination }: PairView, { verdict }: Decision): void {
    const { gone, copyKey, statusRefused, corrections, deletionSeen, released, written, agreement } = memory;
    if (written !== undefined) this.#writers.set(key, written);
    const settledForGood = verdict.kind === 'absent' || verdict.kind === 'inStep' || verdict.kind === 'notSelected';
    if (source === undefined && destination === undefined && settledForGood) {
      this.#forget(key, false);
    } else if (
      settledForGood &&
      statusRefused === undefined &&
      corrections === undefined &&
      deletionSeen === undefined &&
      released === undefined
    )
      this.#memories.delete(key);
    else
      this.#memories.set(key, {
        gone,
        copyKey,
        statusRefused,
        corrections,
        deletionSeen,
        released,
        agreement: agreement?.kind === 'refused' ? undefined : agreement,
      });
  }

  /** `remembered`: the state Secret is still there, and with it what the object shares with others. */
  #forget(key: string, remembered: boolean): void {
    for (const map of [
      this.#memories,
      this.#inStep,
      this.#writers,
      this.#unresolvedSince,
      this.#statusWrites,
      this.#retries,
    ])
      map.delete(key);
    this.#announcing.gone(key);
    this.#awaitingSurvey.delete(key);
    this.#options.dependencies.forget(key);
    if (!remembered) this.#options.related.forget(key);
  }

  #rememberStatusWrite(key: string, { statusWritten: written }: PairMemory): void {
    if (written === undefined || written === this.#statusWrites.get(key)?.written) return;
    const at = this.#options.clock.now();
    this.#statusWrites.delete(key);
    for (const [other, { at: then }] of this.#statusWrites) {
      if (at - then < STATUS_WRITE_MATTERS_MS) break;
      this.#statusWrites.delete(other);
    }
    this.#statusWrites.set(key, { written, at });
  }

  #settle(
    key: string,
    { cluster }: ClusterKey,
    source: UnstructuredObject | undefined,
    decision: Decision,
    more: readonly Problem[],
  ): void {
    const { verdict } = decision;
    const leftOut = verdict.kind === 'notSelected' || (verdict.kind === 'held' && verdict.reason === 'NotSelected');
    if (leftOut !== this.notSelected.has(key)) {
      if (leftOut) this.notSelected.add(key);
      else this.notSelected.delete(key);
      this.#options.onSelection();
    }
    switch (verdict.kind) {
      case 'absent':
        this.#options.failures.gone(key);
        this.#options.reports.forget(key);
        return;
      case 'orphan':
        this.#options.reports.orphan(key, verdict.message);
        return;
      case 'held':
        this.#options.reports.tell(key, cluster, source, [verdict, ...more]);
        return;
      case 'progressing':
        // What it had stays until it is known to be over, unless there is something new.
        if (more.length > 0) this.#options.reports.tell(key, cluster, source, more);
        return;
      case 'inStep':
      case 'notSelected':
        this.#options.reports.tell(key, cluster, source, more);
    }
  }

  /** A step that failed: told at once if waiting does not help, later if it should have passed by then. */
  #fail(key: string, cluster: string, source: UnstructuredObject | undefined, { action, cause }: StepError): void {
    const side = sideOf(action, 'kcp');
    const atOnce = problemOf(cause, side, action.type === 'writeStatusBack' ? 'status' : 'object');
    const { problem, nextAttempt } = this.#options.failures.failed(key, action, {
      atOnce,
      later: lastingProblemOf(cause, side),
    });
    this.#retriesAt(key, nextAttempt);
    if (problem !== undefined) this.#options.reports.tell(key, cluster, source, [problem]);
    throw isApiError(cause) ? cause : new Error('a step failed', { cause });
  }

  #isForeign(destination: UnstructuredObject): boolean {
    return isOfAnotherAgent(destination, this.#options.primary.agentName);
  }
}

/** {@link done}, and nothing is left to do before something changes. */
const inStep: Result = { kind: 'done' };

function standOf(
  source: UnstructuredObject | undefined,
  copy: UnstructuredObject | undefined,
  path: string | undefined,
): string {
  return `${source === undefined ? '' : versionOf(source)}|${copy === undefined ? '' : versionOf(copy)}|${path ?? ''}`;
}

function resultOf(afterMs: number | undefined): Result {
  return afterMs === undefined ? done : { kind: 'requeue', afterMs };
}

function smallest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
