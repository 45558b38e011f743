import {
  type Client,
  getIfExists,
  isApiError,
  isSameResource,
  type KubeObject,
  listAll,
  objectKey,
  type Resource,
  type UnstructuredObject,
  messageOf,
  sentence,
} from '@hawser/client';
import type { Failures, Problem } from '@hawser/controller';
import type { ClusterKey } from '@hawser/informer';

import type { ActResult, PairPorts, PairSide } from './act.js';
import type { Action, Decision } from './decision.js';
import type { Dependency } from './dependencies.js';
import type { KcpCaches } from './kcp-caches.js';
import type { Neighbour } from './neighbours.js';
import type { AdoptionPolicy, PairMemory, PairSettings } from './observed.js';
import { isOurs } from './ownership.js';
import { type PairRecord, RECORDS_BYTES, recordId, sizeOfRecord } from './pair-record.js';
import { type PairView, StepError, runPair } from './pair.js';
import { hasFinalizer } from './finalizer.js';
import { type SideName, lastingProblemOf, problemOf, sideOf } from './problem-of.js';
import { type RelatedPair, placeOf, planRelated, recordOf, uniqueRecords } from './related-pairs.js';
import { type Holder, type RelatedUses, copyId, originalId } from './related-uses.js';
import type { ResourceKinds } from './resource-kinds.js';
import type { PrimaryPair, RelatedReaders, RelatedRule } from './rules.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import { namespaces } from './service-namespaces.js';
import type { ServiceWatches } from './service-watches.js';
import type { SnapshotOwner, StateDraft } from './state-draft.js';
import { covers } from './three-way.js';

export interface RelatedOptions {
  readonly rules: readonly RelatedRule[];
  readonly kcp: KcpCaches;
  readonly service: Client;
  readonly watches: ServiceWatches;
  readonly kinds: ResourceKinds;
  readonly namespaces: ServiceNamespaces;
  readonly adoption: AdoptionPolicy;
  readonly now: () => number;
  readonly uses: RelatedUses;
  readonly neighbours: () => readonly Neighbour[];
  readonly failures: Failures<Action>;
  /** Whether all primaries of all workspaces were looked at. */
  readonly surveyed: () => boolean;
  /** A primary is about to be resolved from this. */
  readonly looking: (key: string, dependency: Dependency) => void;
  readonly acted: (cluster: string, about: UnstructuredObject, action: Action, result: ActResult) => void;
  /** What was synced stays: a Go agent's is referred to no more and cannot be shown to be ours, or what is to go with its primary can be read no more. `held`: the original, where it has our finalizer. */
  readonly left: (cluster: string, problem: Problem, held: UnstructuredObject | undefined) => void;
}

/** The related objects of one primary, this time. */
export interface RelatedRun {
  /** `cluster|namespace/name` of the primary. */
  readonly key: string;
  readonly identity: ClusterKey;
  readonly draft: StateDraft;
  /** Undefined: the copy is gone already, so that nothing can be resolved. */
  readonly primary: PrimaryPair | undefined;
  /** As it was when it was pushed last, where nobody has written down which related objects it had then: a Go agent remembers what it synced, but not where to. */
  readonly former?: PrimaryPair | undefined;
  /** The primary was read with a deletionTimestamp, or is to be drained. */
  readonly deleting: boolean;
  /** The deletion has waited long enough for what cannot be read: that is left, and told. */
  readonly overdue?: boolean | undefined;
  /** Sources are let go, and copies stay. */
  readonly letGo?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface RelatedOutcome {
  readonly problems: readonly Problem[];
  /** Something is under way; its event brings the primary back. */
  readonly pending: boolean;
  /** Entries that could not be resolved, and objects that may not be read any more. */
  readonly unresolved: readonly Problem[];
  /** Identifiers of entries of which nothing is known now. */
  readonly kept: readonly string[];
  readonly requeueAfterMs: number | undefined;
  /** What the primary was resolved from. */
  readonly looked: readonly Dependency[];
  /** Service-origin objects that have their copy, to be announced on the primary. */
  readonly placed: readonly RelatedPair[];
  /** The first failure that passes by itself: for the queue's back-off. */
  readonly error: Error | undefined;
  /** When that is tried again, where it is parked: in milliseconds since the epoch. */
  readonly nextAttempt: number | undefined;
}

export interface Related {
  run(run: RelatedRun): Promise<RelatedOutcome>;
  /** What is written down of a primary counts until it is looked at, which a pause may put off. */
  expect(key: string, records: readonly PairRecord[]): void;
  /** The primary is no more. */
  forget(key: string): void;
  /** What a server did not store as it was sent, or had no place for, is sent once more. */
  forgetRefusals(): void;
  /** False until all primaries were looked at: before that, it is not known who else uses an object. */
  readonly surveyed: boolean;
}

/** The cache of a related type is not filled: nothing is known. */
class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** A server refuses to show a related type: no event will tell when it does again. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';

  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** How often what cannot be read is asked for again. */
const UNREADABLE_RECHECK_MS = 60_000;

interface PairOutcome {
  /** The pair is there, and is to be remembered. */
  readonly kept: boolean;
  readonly pending: boolean;
  readonly problem?: Problem | undefined;
  /** It can be neither read nor let go, and that may last. */
  readonly unreachable?: Problem | undefined;
  readonly requeueAfterMs?: number | undefined;
  readonly error?: unknown;
  /** When the step that failed is tried again. */
  readonly nextAttempt?: number | undefined;
  /** Of the copy, where it is ours. */
  readonly uid?: string | undefined;
  /** The copy was made or taken just now, so that it has to be written down. */
  readonly isNew?: boolean | undefined;
}

interface PairHow {
  readonly forcedDeletion: boolean;
  readonly rule?: RelatedRule;
  /** Something else has the place of the copy. */
  readonly placeTaken?: boolean;
}

/** What is known of a primary when its pairs are looked at. */
interface Look {
  readonly context: RelatedRun;
  /** What was synced before. */
  readonly known: ReadonlyMap<string, PairRecord>;
  /** Whether what a Go agent remembers of an object counts in this place. */
  readonly isRemembered: (record: PairRecord) => boolean;
}

type OpenedPair =
  | { readonly kind: 'outcome'; readonly outcome: PairOutcome }
  | { readonly kind: 'opened'; readonly view: PairView; readonly ports: PairPorts; readonly settings: PairSettings };

export function createRelated(options: RelatedOptions): Related {
  return new RelatedSync(options);
}

class RelatedSync implements Related {
  readonly #options: RelatedOptions;
  readonly #memories = new Map<string, PairMemory>();
  /** Why the step of a pair that is not tried for a while was refused. */
  readonly #refusals = new Map<string, Problem>();
  /** Primaries as they were, until it is known what they referred to then. */
  readonly #formers = new Map<string, PrimaryPair>();

  constructor(options: RelatedOptions) {
    this.#options = options;
  }

  get surveyed(): boolean {
    return this.#options.surveyed();
  }

  expect(key: string, records: readonly PairRecord[]): void {
    this.#options.uses.expect(key, records);
  }

  forget(key: string): void {
    this.#options.uses.forget(key);
    this.#formers.delete(key);
    const isOf = (id: string): boolean => id.startsWith(`${key}#`);
    this.#options.failures.forget(isOf);
    for (const map of [this.#memories, this.#refusals]) for (const id of map.keys()) if (isOf(id)) map.delete(id);
  }

  forgetRefusals(): void {
    for (const [id, memory] of this.#memories)
      this.#memories.set(id, { ...memory, statusRefused: undefined, statusMissing: undefined });
  }

  async run(context: RelatedRun): Promise<RelatedOutcome> {
    const { key, draft, deleting } = context;
    const looked: Dependency[] = [];
    const found: RelatedPair[] = [];
    /** By identifier; undefined: what it needs is not read yet. */
    const unresolved = new Map<string, Problem | undefined>();
    let pending = false;
    for (const rule of context.primary === undefined ? [] : this.#options.rules) {
      try {
        const resolved = await rule.resolve(context.primary as PrimaryPair, this.#readersFor(rule, context, looked));
        found.push(...resolved.map((pair, index) => ({ rule, resolved: pair, record: recordOf(rule, pair), index })));
      } catch (error) {
        if (context.signal.aborted) throw error;
        pending ||= error instanceof NotReady;
        unresolved.set(rule.identifier, error instanceof NotReady ? undefined : unresolvedProblem(rule, error));
      }
    }
    if (context.former !== undefined) this.#formers.set(key, context.former);
    // What a Go agent remembers names no place: it counts for what the primary refers to now, unless that has changed.
    const remembersPlaces = draft.records.length > 0 || this.#options.uses.of(key).length > 0 || this.#formers.has(key);
    const former = await this.#formerRecords(context, new Set(found.map(({ record }) => recordId(record))));
    pending ||= this.#formers.has(key);
    const before = uniqueRecords([...draft.records, ...former.records, ...this.#options.uses.of(key)]);
    const look: Look = {
      context,
      known: new Map(before.map((record) => [recordId(record), record])),
      isRemembered: (record) => (remembersPlaces ? former.places.has(recordId(record)) : true),
    };
    const plan = planRelated(found, new Set(unresolved.keys()), before);
    const outcome = {
      problems: [] as Problem[],
      placed: [] as RelatedPair[],
      requeueAfterMs: undefined as number | undefined,
      error: undefined as Error | undefined,
      nextAttempt: undefined as number | undefined,
    };
    const unreachable: Problem[] = [];
    // What its entry does not find any more goes with its primary all the same, when that has waited for it.
    const abandoned = deleting && context.overdue === true ? plan.kept : [];
    const keep: PairRecord[] = [
      ...(context.primary === undefined && !deleting ? plan.stale : abandoned.length > 0 ? [] : plan.kept),
    ];
    const made = new Set<PairRecord>();
    const take = (record: PairRecord, result: PairOutcome): void => {
      const uid = result.uid ?? look.known.get(recordId(record))?.uid;
      if (result.kept) keep.push(uid === undefined ? record : { ...record, uid });
      if (result.isNew === true) made.add(record);
      pending ||= result.pending;
      if (result.problem !== undefined) outcome.problems.push(inWords(record, result.problem));
      if (result.unreachable !== undefined) unreachable.push(inWords(record, result.unreachable));
      if (result.requeueAfterMs !== undefined)
        outcome.requeueAfterMs = Math.min(result.requeueAfterMs, outcome.requeueAfterMs ?? Infinity);
      if (outcome.error === undefined && result.error !== undefined) outcome.nextAttempt = result.nextAttempt;
      outcome.error ??=
        result.error instanceof Error || result.error === undefined ? result.error : new Error(messageOf(result.error));
    };
    const stale = context.primary === undefined && !deleting ? [] : [...plan.stale, ...abandoned];
    // Before anything is waited for. What is being deleted in the workspace goes without its primary.
    this.#options.uses.giveUp(key, [
      ...stale,
      ...plan.current
        .filter(
          ({
            resolved: {
              origin: { object },
            },
          }) => deleting || object.metadata.deletionTimestamp !== undefined,
        )
        .map(({ record }) => record),
    ]);
    // What was there before makes room first: its place may be wanted by another.
    for (const record of stale) take(record, await this.#cleanUp(look, record, plan.current));
    let recordBytes = before.reduce((sum, record) => sum + sizeOfRecord(record), 0);
    for (const pair of plan.current) {
      if (!deleting && !look.known.has(recordId(pair.record))) {
        const bytes = sizeOfRecord(pair.record);
        if (recordBytes + bytes > RECORDS_BYTES) {
          outcome.problems.push(
            inWords(pair.record, {
              reason: 'StateTooLarge',
              message: `It is not synced: the state Secret ${draft.secretName} has no room to write it down. Have the object refer to fewer.`,
              actor: 'provider',
            }),
          );
          continue;
        }
        recordBytes += bytes;
      }
      const result = await this.#syncOne(look, pair, looked);
      take(pair.record, result);
      if (result.kept && pair.rule.origin === 'service') outcome.placed.push(pair);
    }
    for (const { record } of plan.collisions) outcome.problems.push(inWords(record, collision));
    const records = uniqueRecords(keep);
    this.#options.uses.set(key, records);
    // What a Go agent left is written down with the next change only: taking over costs no write.
    const differs = made.size > 0 || !sameRecords(records, draft.records);
    if (differs && (draft.changed() !== undefined || draft.records.length > 0)) draft.record(records);
    return {
      ...outcome,
      pending,
      looked,
      unresolved: [...[...unresolved.values()].filter((problem) => problem !== undefined), ...unreachable],
      kept: [...unresolved.keys()],
    };
  }

  /**
   * What the primary referred to when it was pushed last, by the rules of today. Only what is remembered as synced, and what has a copy that says what was synced, counts:
   * with other rules it may be somebody else's object that is there. That is left, and told; unless it is among what is referred to now.
   */
  async #formerRecords(
    context: RelatedRun,
    current: ReadonlySet<string>,
  ): Promise<{ readonly records: readonly PairRecord[]; readonly places: ReadonlySet<string> }> {
    const { key, draft, identity } = context;
    const former = this.#formers.get(key);
    const records: PairRecord[] = [];
    const places = new Set<string>();
    if (former === undefined) return { records, places };
    this.#formers.delete(key);
    const left: (() => void)[] = [];
    for (const rule of this.#options.rules) {
      try {
        for (const pair of await rule.resolve(former, this.#readersFor(rule, context, []))) {
          const record = recordOf(rule, pair);
          const last = draft.last(ownerOf(identity.cluster, record));
          if (last.kind === 'known') places.add(recordId(record));
          const copy = last.kind === 'known' ? await this.#destinationFor(context, record) : undefined;
          if (last.kind === 'known' && copy !== undefined && covers(copy, last.snapshot, [])) records.push(record);
          else if (last.kind === 'known' && !current.has(recordId(record)))
            left.push(this.#leave(context, record, pair.origin.object, copy));
        }
      } catch (error) {
        if (context.signal.aborted) throw error;
        // What cannot be found out stays as it is; what is not read yet will be.
        if (error instanceof NotReady) this.#formers.set(key, former);
      }
    }
    // Told once, when everything is known.
    if (!this.#formers.has(key)) for (const tell of left) tell();
    return { records, places };
  }

  #leave(
    { key, identity: { cluster } }: RelatedRun,
    record: PairRecord,
    source: UnstructuredObject,
    copy: UnstructuredObject | undefined,
  ): () => void {
    const { origin, cleanup, kcp: onKcp, service: onService, destination } = record;
    const held = origin === 'kcp' && hasFinalizer(source) ? source : undefined;
    // A copy in the workspace stays anyway, unless it is to be cleaned up.
    const stays = copy !== undefined && (origin === 'kcp' || cleanup);
    if (held === undefined && !stays) return () => undefined;
    const place = `${(origin === 'kcp' ? onService : onKcp).resource} ${objectKey(destination)} ${origin === 'kcp' ? 'on the service cluster' : 'in the workspace'}`;
    const why =
      copy === undefined
        ? `and its copy, ${place}, is not there`
        : `and ${place} is not what was pushed then, so that it may be somebody else's`;
    const what = [
      ...(stays ? [`delete ${place} if it is of no use any more`] : []),
      ...(held === undefined ? [] : ['take the finalizer syncagent.kcp.io/cleanup off the object in the workspace']),
    ].join(', and ');
    const { message } = inWords(record, {
      reason: 'RelatedLeft',
      message: `${key} referred to it when a Go agent pushed it last, and does no more, ${why}. Both are left as they are. The provider has to ${what}.`,
      actor: 'provider',
    });
    return () => {
      this.#options.left(cluster, { reason: 'RelatedLeft', message, actor: 'provider' }, held);
    };
  }

  async #syncOne(look: Look, { rule, resolved, record }: RelatedPair, looked: Dependency[]): Promise<PairOutcome> {
    const { context } = look;
    const { origin } = rule;
    const forcedDeletion = context.deleting && context.letGo !== true && (rule.cleanup || origin === 'kcp');
    // What stays in the workspace is left as it is: its primary goes without waiting for it.
    if (context.deleting && !forcedDeletion && origin === 'service') return { kept: true, pending: false };
    const copy: Dependency = {
      side: origin === 'kcp' ? 'service' : 'kcp',
      cluster: origin === 'kcp' ? undefined : context.identity.cluster,
      resource: origin === 'kcp' ? rule.resources.service : rule.resources.kcp,
      ...record.destination,
    };
    looked.push(copy);
    this.#options.looking(context.key, copy);
    if (origin === 'kcp') this.#options.watches.open(rule.resources.service);
    return this.#runOne(look, record, resolved.origin.object, { forcedDeletion, rule });
  }

  /** A pair that its primary does not refer to any more. */
  async #cleanUp(look: Look, record: PairRecord, current: readonly RelatedPair[]): Promise<PairOutcome> {
    const { context } = look;
    const { origin, source: key } = record;
    const forcedDeletion = context.letGo !== true;
    if (origin === 'service' && (!record.cleanup || !forcedDeletion)) return { kept: false, pending: false };
    const place = placeOf(record);
    let source: UnstructuredObject | undefined;
    let refused: Problem | undefined;
    try {
      source = await this.#sourceFor(context, record);
    } catch (error) {
      if (error instanceof NotReady) return { kept: true, pending: true };
      if (context.signal.aborted) throw error;
      refused = refusalOf(error, origin);
      if (refused === undefined) return { kept: true, pending: false, error };
    }
    // An original of the service cluster bears nothing of ours: its copy goes without it.
    if (refused !== undefined && origin === 'kcp' && context.overdue !== true) return this.#unreadable(refused);
    // Somebody else has the place now, as after a reference that moved on under the same name: only the finalizer is left to see to.
    if (current.some((pair) => placeOf(pair.record) === place))
      return this.#runOne(look, record, source, { forcedDeletion, placeTaken: true });
    if (source === undefined && !forcedDeletion) return { kept: refused !== undefined, pending: false };
    const result = await this.#runOne(look, record, source, { forcedDeletion });
    if (refused !== undefined && origin === 'kcp' && !result.kept) this.#leaveUnread(context, record, refused);
    return result.problem === undefined || source !== undefined
      ? result
      : {
          ...result,
          problem: {
            ...result.problem,
            message: `${result.problem.message} ${objectKey(key)} is missing in the workspace, or not visible.`,
          },
        };
  }

  async #sourceFor(
    { identity, signal }: RelatedRun,
    { origin, kcp: onKcp, service: onService, source }: PairRecord,
  ): Promise<UnstructuredObject | undefined> {
    return origin === 'kcp'
      ? this.#cacheOf(onKcp, identity.cluster).get({ cluster: identity.cluster, ...source })
      : getIfExists(this.#options.service, onService, source, { signal });
  }

  async #runOne(
    look: Look,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    how: PairHow,
  ): Promise<PairOutcome> {
    if (how.forcedDeletion && !this.surveyed) return { kept: true, pending: true };
    const { context } = look;
    const opened = await this.#openOne(look, record, source, how);
    if (opened.kind === 'outcome') return opened.outcome;
    const { uid } = opened.view.destination?.metadata ?? {};
    // What is known of it is this very object: whoever else is about to make something has another place.
    if (how.forcedDeletion || (uid !== undefined && uid === opened.view.made))
      return this.#runOpened(look, record, opened);
    return this.#options.uses.exclusively(copyId(context.identity.cluster, record), async () => {
      const again = await this.#openOne(look, record, source, how);
      return again.kind === 'outcome' ? again.outcome : this.#runOpened(look, record, again);
    });
  }

  /** Reads the copy of a pair, and finds out whose it is. */
  async #openOne(
    look: Look,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    how: PairHow,
  ): Promise<OpenedPair> {
    const { context } = look;
    const { identity, draft, signal } = context;
    const { origin } = record;
    const known = look.known.get(recordId(record));
    const own = originalId(identity.cluster, record);
    const outcome = (made: PairOutcome): OpenedPair => ({ kind: 'outcome', outcome: made });
    const holders = this.#holdersOf(copyId(identity.cluster, record), context.key);
    const shared = how.forcedDeletion && holders.some(({ source: of }) => of === own);
    try {
      const ports = this.#portsFor(context, record);
      const last = draft.last(ownerOf(identity.cluster, record));
      const settings = await this.#settingsFor(context, record, source, how);
      let destination = how.placeTaken === true || shared ? undefined : await this.#destinationFor(context, record);
      const uid = destination?.metadata.uid;
      // Of several that refer to one object each has it.
      const made =
        uid !== undefined && holders.some((holder) => holder.source === own && holder.uid === uid) ? uid : known?.uid;
      const taken = how.placeTaken === true || shared || isTaken({ source: own, known, made }, holders, uid);
      if (taken) destination = undefined;
      if (taken && !how.forcedDeletion)
        return outcome({ kept: known !== undefined, pending: false, problem: collision });
      const id = idOf(context, record);
      const view: PairView = {
        source,
        destination,
        last,
        made,
        remembered: known !== undefined || made !== undefined || (last.kind !== 'none' && look.isRemembered(record)),
        memory: {
          ...this.#memories.get(id),
          ...(context.deleting ? { deletionSeen: true as const } : {}),
          ...(taken ? { gone: 'none' } : {}),
        },
        placement: () => ({ kind: 'placed', key: record.destination }),
        neededElsewhere: () => this.#isNeeded(context, record),
        others: () => (this.surveyed ? 'none' : 'unknown'),
        selected: true,
      };
      return { kind: 'opened', view, ports, settings };
    } catch (error) {
      if (error instanceof NotReady) return outcome({ kept: true, pending: true });
      if (signal.aborted) throw error;
      const refused = how.forcedDeletion ? refusalOf(error, origin === 'kcp' ? 'service' : 'kcp') : undefined;
      if (refused !== undefined) {
        if (context.overdue !== true) return outcome(this.#unreadable(refused));
        this.#leaveUnread(context, record, refused);
        return outcome({ kept: false, pending: false });
      }
      return outcome({
        kept: true,
        pending: false,
        problem: { reason: 'RelatedUnavailable', message: sentence(messageOf(error)), actor: 'provider' },
        error,
      });
    }
  }

  async #runOpened(
    { context }: Look,
    record: PairRecord,
    { view, ports, settings }: Extract<OpenedPair, { kind: 'opened' }>,
  ): Promise<PairOutcome> {
    const {
      identity: { cluster },
      key,
      signal,
    } = context;
    const { origin } = record;
    const id = idOf(context, record);
    let isNew = false;
    const ours = (): Pick<PairOutcome, 'uid' | 'isNew'> => ({
      uid:
        view.destination !== undefined && isOurs(view, view.destination, settings)
          ? view.destination.metadata.uid
          : undefined,
      isNew,
    });
    try {
      const about = (): UnstructuredObject | undefined => (origin === 'kcp' ? view.source : view.destination);
      const decision = await runPair(view, {
        settings,
        ports,
        signal,
        now: this.#options.now,
        failures: this.#options.failures,
        id,
        acted: (action, result) => {
          if (result.made !== undefined) {
            isNew = true;
            // Others that refer to the same object find it from now on.
            this.#options.uses.set(
              key,
              uniqueRecords([...this.#options.uses.of(key), { ...record, uid: result.made }]),
            );
          }
          const object = about();
          if (object !== undefined) this.#options.acted(cluster, object, action, result);
        },
      });
      this.#remember(id, view.memory);
      // What is left to do is not tried at present, so what was said of it still holds.
      const standing = this.#options.failures.standing(id, decision.actions);
      const stands =
        standing === undefined
          ? {}
          : {
              problem: standing.problem,
              requeueAfterMs: Math.min(decision.requeueAfterMs ?? Infinity, Math.max(1, standing.forMs)),
            };
      const [next] = decision.actions;
      if (next !== undefined) {
        if (decision.verdict.kind === 'held') this.#refusals.set(id, decision.verdict);
        return (
          this.#refusedRelease(context, record, next, this.#refusals.get(id)) ?? {
            ...this.#settled(decision, view),
            ...ours(),
            problem: this.#refusals.get(id),
            ...stands,
          }
        );
      }
      this.#refusals.delete(id);
      return { ...this.#settled(decision, view), ...ours(), ...stands };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      this.#remember(id, view.memory);
      const side = sideOf(error.action, origin);
      const atOnce = problemOf(error.cause, side, error.action.type.startsWith('writeStatus') ? 'status' : 'object');
      const { problem, nextAttempt } = this.#options.failures.failed(id, error.action, {
        atOnce,
        later: lastingProblemOf(error.cause, side),
      });
      if (problem !== undefined) this.#refusals.set(id, problem);
      return (
        this.#refusedRelease(context, record, error.action, problem) ?? {
          kept: view.remembered || view.destination !== undefined,
          pending: false,
          problem,
          error: error.cause,
          nextAttempt,
          ...ours(),
        }
      );
    }
  }

  #unreadable(problem: Problem): PairOutcome {
    return { kept: true, pending: false, unreachable: problem, requeueAfterMs: UNREADABLE_RECHECK_MS };
  }

  /** The copy is seen to, and the finalizer of the original may not be taken away: only those in the workspace can do that. */
  #refusedRelease(
    context: RelatedRun,
    record: PairRecord,
    { type }: Action,
    problem: Problem | undefined,
  ): PairOutcome | undefined {
    if (
      !context.deleting ||
      type !== 'releaseFinalizer' ||
      (problem?.reason !== 'ForbiddenInWorkspace' && problem?.reason !== 'FailedInWorkspace')
    )
      return undefined;
    if (context.overdue !== true) return this.#unreadable(problem);
    this.#leaveUnread(context, record, problem);
    return { kept: false, pending: false };
  }

  /** What nobody can be waited for any longer, named for those who have to see to it. */
  #leaveUnread({ key, identity: { cluster } }: RelatedRun, record: PairRecord, why: Problem): void {
    const { origin, kcp: onKcp, service: onService, destination } = record;
    const copy = `${(origin === 'kcp' ? onService : onKcp).resource} ${objectKey(destination)} ${origin === 'kcp' ? 'on the service cluster' : 'in the workspace'}`;
    const finalizer =
      origin === 'kcp' ? 'Take the finalizer syncagent.kcp.io/cleanup off the object in the workspace. ' : '';
    const { message } = inWords(record, {
      reason: 'RelatedLeft',
      message: `${key} is deleted, and this object could not be let go with it. ${why.message} ${finalizer}Delete its copy, ${copy}, if it is still there.`,
      actor: 'provider',
    });
    this.#options.left(cluster, { reason: 'RelatedLeft', message, actor: 'provider' }, undefined);
  }

  #settled({ verdict, requeueAfterMs }: Decision, view: PairView): PairOutcome {
    switch (verdict.kind) {
      case 'absent':
      case 'notSelected':
        return { kept: false, pending: false, requeueAfterMs };
      case 'inStep':
        return { kept: view.remembered, pending: false, requeueAfterMs };
      case 'progressing':
        return { kept: view.remembered || view.destination !== undefined, pending: true, requeueAfterMs };
      case 'orphan':
        return {
          kept: true,
          pending: false,
          problem: { reason: 'RelatedOrphaned', message: verdict.message, actor: 'provider' },
        };
      case 'held':
        return { kept: view.remembered, pending: false, problem: verdict, requeueAfterMs };
    }
  }

  #remember(
    id: string,
    { gone, copyKey, statusRefused, statusMissing, corrections, written, attempted }: PairMemory,
  ): void {
    if ([gone, copyKey, statusRefused, corrections, written, attempted].every((field) => field === undefined))
      this.#memories.delete(id);
    else this.#memories.set(id, { gone, copyKey, statusRefused, statusMissing, corrections, written, attempted });
  }

  async #settingsFor(
    context: RelatedRun,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    { forcedDeletion, rule }: { readonly forcedDeletion: boolean; readonly rule?: RelatedRule },
  ): Promise<PairSettings> {
    const { identity, signal } = context;
    const { origin, kcp: onKcp, service: onService } = record;
    const same =
      onKcp.group === onService.group && onKcp.version === onService.version && onKcp.resource === onService.resource;
    const kind =
      same && source !== undefined
        ? source
        : forcedDeletion
          ? { apiVersion: 'v1', kind: 'Object' }
          : await this.#kindOf(
              origin === 'kcp' ? 'service' : 'kcp',
              identity.cluster,
              origin === 'kcp' ? onService : onKcp,
              signal,
            );
    const syncStatus = rule?.syncStatus === true;
    return {
      origin,
      destination: { apiVersion: kind.apiVersion, kind: kind.kind },
      marks: undefined,
      subresources: syncStatus ? ['status'] : [],
      status: syncStatus ? 'forward' : 'none',
      finalizer: forcedDeletion || origin === 'kcp',
      forcedDeletion,
      letGo: context.letGo,
      mutations: rule?.mutations,
      adoption: this.#options.adoption,
    };
  }

  #kindOf(side: SideName, cluster: string, resource: Resource, signal: AbortSignal): ReturnType<ResourceKinds['of']> {
    if (side === 'service') return this.#options.kinds.of('service', this.#options.service, resource, signal);
    const engagement = this.#options.kcp.engagementOf(cluster);
    if (engagement === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
    return this.#options.kinds.of(engagement.url, engagement.clientFor(cluster), resource, signal);
  }

  async #destinationFor(
    { identity, signal }: RelatedRun,
    { origin, kcp: onKcp, service: onService, destination }: PairRecord,
  ): Promise<UnstructuredObject | undefined> {
    // Whatever is no answer about this very object is an error, not its absence.
    return origin === 'kcp'
      ? getIfExists(this.#options.service, onService, destination, { signal })
      : this.#cacheOf(onKcp, identity.cluster).get({ cluster: identity.cluster, ...destination });
  }

  #portsFor(context: RelatedRun, record: PairRecord): PairPorts {
    const { identity, draft } = context;
    const { cluster } = identity;
    const client = this.#options.kcp.clientFor(cluster);
    if (client === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
    const inKcp: PairSide = {
      client,
      resource: record.kcp,
      observe: (object) => {
        this.#options.kcp.cache(record.kcp, cluster)?.observe(object);
      },
    };
    const onService: PairSide = { client: this.#options.service, resource: record.service, observe: () => undefined };
    const [from, to] = record.origin === 'kcp' ? [inKcp, onService] : [onService, inKcp];
    return {
      source: from,
      destination: to,
      search: (_key, signal) => getIfExists(to.client, to.resource, record.destination, { signal }),
      isCopy: () => true,
      makeNamespace: (namespace, signal) =>
        record.origin === 'kcp'
          ? this.#options.namespaces.make(namespace, signal)
          : makeInKcp(client, namespace, signal),
      within:
        record.origin === 'kcp' ? (namespace, work) => this.#options.namespaces.within(namespace, work) : undefined,
      store: (snapshot) => {
        draft.store(ownerOf(cluster, record), snapshot);
      },
      forget: () => {
        draft.forget(ownerOf(cluster, record));
        return Promise.resolve();
      },
    };
  }

  #cacheOf(resource: Resource, cluster: string): NonNullable<ReturnType<KcpCaches['cache']>> {
    const cache = this.#options.kcp.cache(resource, cluster);
    if (cache === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
    const refused = cache.state.phase === 'waiting' ? refusalOf(cache.state.error, 'kcp') : undefined;
    if (refused !== undefined) throw new Unreadable(refused);
    if (!cache.hasSynced) throw new NotReady(`${resource.resource} in kcp are not read yet`);
    return cache;
  }

  #readersFor(
    { origin }: RelatedRule,
    { key: primary, identity: { cluster }, signal }: RelatedRun,
    looked: Dependency[],
  ): RelatedReaders {
    const look = (dependency: Dependency): void => {
      looked.push(dependency);
      this.#options.looking(primary, dependency);
    };
    const on = { side: origin, cluster: origin === 'kcp' ? cluster : undefined } as const;
    const open = (resource: Resource): void => {
      if (origin === 'kcp') this.#options.kcp.open(resource);
      else this.#options.watches.open(resource);
    };
    return {
      get: async (resource, key) => {
        open(resource);
        look({ ...on, resource, namespace: key.namespace, name: key.name });
        return origin === 'kcp'
          ? this.#cacheOf(resource, cluster).get({ cluster, ...key })
          : getIfExists(this.#options.service, resource, key, { signal });
      },
      list: async (resource, { namespace, labelSelector, matches }) => {
        open(resource);
        look({ ...on, resource, namespace, matches });
        // What is watched anyway need not be listed for each primary. Of namespaces names are wanted.
        const cached =
          origin === 'kcp'
            ? this.#cacheOf(resource, cluster).list(namespace, cluster)
            : isSameResource(resource, namespaces)
              ? this.#options.watches.list(resource)
              : undefined;
        return (
          cached?.filter(({ metadata: { labels = {} } }) => matches(labels)) ??
          listAll(this.#options.service, resource, { namespace, labelSelector, signal })
        );
      },
    };
  }

  /** What other primaries, of whichever sync, have in this place. */
  #holdersOf(place: string, besides: string): readonly Holder[] {
    return [
      ...this.#options.uses.holders(place, besides),
      ...this.#options.neighbours().flatMap((neighbour) => neighbour.holders(place)),
    ];
  }

  /** By a primary of this sync besides `key`, or of another one. */
  #isUsed(key: string | undefined, thing: string): boolean {
    return (
      (key !== undefined && this.#options.uses.has(thing, key)) ||
      this.#options.neighbours().some((neighbour) => neighbour.has(thing))
    );
  }

  /** The original: by others of this sync, unless all are let go, or as what another one publishes or refers to. */
  #isNeeded({ key, identity: { cluster }, letGo }: RelatedRun, record: PairRecord): boolean {
    return (
      this.#isUsed(letGo === true ? undefined : key, originalId(cluster, record)) ||
      this.#options.neighbours().some((neighbour) => neighbour.holds(record.kcp, { cluster, ...record.source }))
    );
  }
}

const collision: Problem = {
  reason: 'RelatedCollision',
  message:
    'Its copy would stand where that of another related object stands. The rules of the PublishedResource have to tell them apart.',
  actor: 'provider',
};

function idOf({ key }: RelatedRun, record: PairRecord): string {
  return `${key}#${recordId(record)}`;
}

/** Whether a place belongs to another source: whose the object is that is there, or else who is known to have made one, or to have had one, and then the first by name. */
function isTaken(
  own: { readonly source: string; readonly known: PairRecord | undefined; readonly made: string | undefined },
  holders: readonly Holder[],
  uid: string | undefined,
): boolean {
  if (uid !== undefined && own.made === uid) return false;
  const strength = own.made !== undefined ? 2 : own.known !== undefined ? 1 : 0;
  return holders.some((other) => {
    if (other.source === own.source) return false;
    if (uid !== undefined && other.uid === uid) return true;
    const theirs = other.uid === undefined ? 1 : 2;
    return theirs > strength || (theirs === strength && other.source < own.source);
  });
}

function ownerOf(
  cluster: string,
  { identifier, origin, kcp, service, kind, source: { namespace, name } }: PairRecord,
): SnapshotOwner {
  const { group, version } = origin === 'kcp' ? kcp : service;
  return {
    cluster: origin === 'kcp' ? cluster : '',
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    namespace,
    name,
    identifier,
  };
}

async function makeInKcp(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  if ((await getIfExists<KubeObject>(client, namespaces, { name: namespace }, { signal })) === undefined)
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
}

function inWords(
  { identifier, origin, kcp, service, source }: PairRecord,
  { reason, message, actor }: Problem,
): Problem {
  return {
    reason,
    message: `Related object "${identifier}", ${(origin === 'kcp' ? kcp : service).resource} ${objectKey(source)}: ${message}`,
    actor,
  };
}

/** Why a server does not show something, if that may last; undefined for failures that pass. */
function refusalOf(error: unknown, side: SideName): Problem | undefined {
  if (error instanceof Unreadable) return error.problem;
  return isApiError(error, 'Forbidden', 'Unauthorized', 'NotFound', 'MethodNotAllowed')
    ? problemOf(error, side, 'object')
    : undefined;
}

function unresolvedProblem({ identifier }: RelatedRule, error: unknown): Problem {
  return {
    reason: 'RelatedUnresolved',
    message: `The related objects "${identifier}" cannot be found: ${sentence(messageOf(error))} They are left as they are.`,
    actor: 'provider',
  };
}

function sameRecords(a: readonly PairRecord[], b: readonly PairRecord[]): boolean {
  const ids = (records: readonly PairRecord[]): string => records.map(recordId).sort().join('\n');
  return ids(a) === ids(b);
}
