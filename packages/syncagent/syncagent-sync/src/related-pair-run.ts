import { messageOf, objectKey, sentence, type UnstructuredObject } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { ActResult, PairPorts } from './act.js';
import {
  type ReadResult,
  decideCleanUp,
  decideEnding,
  decideDestination,
  decideRefusedEnd,
  settledOutcome,
  unreachable,
} from './decide-related.js';
import type { Action, Decision } from './decision.js';
import type { Dependency } from './dependencies.js';
import type { LastState, PairMemory, PairSettings } from './observed.js';
import { isOurs } from './ownership.js';
import { type PairRecord, recordId } from './pair-record.js';
import { type PairView, StepError, runPair } from './pair.js';
import { lastingProblemOf, problemOf, sideOf } from './problem-of.js';
import type { RelatedReads } from './related-observe.js';
import { MadeCopies } from './made-copies.js';
import { type RelatedPair, destinationOf, uniqueRecords } from './related-pairs.js';
import { ownerOfRelated, relatedPorts, relatedSettings } from './related-ports.js';
import type { Look, PairHow, PairOutcome, RelatedOptions, RelatedRun } from './related-run.js';
import { Sharing } from './related-sharing.js';
import { NotReady, refusalOf } from './related-unknown.js';
import { copyId, originalId } from './related-uses.js';
import { collision, leftUnread } from './related-words.js';

type OpenedPair =
  | { readonly kind: 'outcome'; readonly outcome: PairOutcome }
  | { readonly kind: 'opened'; readonly view: PairView; readonly ports: PairPorts; readonly settings: PairSettings };

type Opened = Extract<OpenedPair, { kind: 'opened' }>;

/** Whether an id names a pair of related objects of this published one. */
export function isRelatedTo(primary: string, id: string): boolean {
  return id.startsWith(`${primary}#`);
}

/** Works on the related objects of primaries, one by one. */
export class RelatedPairs {
  readonly #options: RelatedOptions;
  readonly #reads: RelatedReads;
  readonly #sharing: Sharing;
  readonly #memories = new Map<string, PairMemory>();
  /** Why the step of a parked pair was refused. */
  readonly #refusals = new Map<string, Problem>();
  readonly #made = new MadeCopies();

  constructor(options: RelatedOptions, reads: RelatedReads) {
    this.#options = options;
    this.#reads = reads;
    this.#sharing = new Sharing(options);
  }

  /** The primary is gone. */
  forget(primary: string): void {
    const isOf = (id: string): boolean => isRelatedTo(primary, id);
    this.#options.failures.forget(isOf);
    for (const map of [this.#memories, this.#refusals]) for (const id of map.keys()) if (isOf(id)) map.delete(id);
    this.#made.forget(isOf);
  }

  forgetRefusals(): void {
    for (const [id, memory] of this.#memories)
      this.#memories.set(id, { ...memory, statusRefused: undefined, statusMissing: undefined });
  }

  /** Syncs a pair that its primary references. */
  async sync(look: Look, { rule, resolved, record }: RelatedPair, looked: Dependency[]): Promise<PairOutcome> {
    const { context } = look;
    const { origin } = rule;
    const { forcedDeletion, stays } = decideEnding(rule, context);
    if (stays) return { kept: true, pending: false };
    const copy: Dependency = {
      side: origin === 'kcp' ? 'service' : 'kcp',
      cluster: origin === 'kcp' ? undefined : context.identity.cluster,
      resource: origin === 'kcp' ? rule.resources.service : rule.resources.kcp,
      ...record.destination,
    };
    looked.push(copy);
    this.#options.looking(context.key, copy);
    if (origin === 'kcp') this.#options.watches.open(rule.resources.service);
    return this.#run(look, record, resolved.origin.object, { forcedDeletion, rule });
  }

  /** Cleans up a pair that its primary no longer references. */
  async cleanUp(
    look: Look,
    record: PairRecord,
    current: readonly RelatedPair[],
    looked: Dependency[],
  ): Promise<PairOutcome> {
    const { context } = look;
    const destination = destinationOf(record);
    const decided = (read?: ReadResult): ReturnType<typeof decideCleanUp> =>
      decideCleanUp(
        record,
        context,
        read,
        current.some((pair) => destinationOf(pair.record) === destination),
      );
    const first = decided();
    const cleanUp = first.kind === 'readSource' ? decided(await this.#readSource(context, record, looked)) : first;
    if (cleanUp.kind === 'over') return cleanUp.outcome;
    if (cleanUp.kind === 'readSource') throw new Error('the original was read, and is asked for again');
    const { source, forcedDeletion, isDestinationTaken, unread } = cleanUp;
    const result = await this.#run(look, record, source, { forcedDeletion, isDestinationTaken });
    if (isDestinationTaken) return result;
    if (unread !== undefined && !result.kept) this.#leaveUnread(context, record, unread);
    return result.problem === undefined || source !== undefined
      ? result
      : {
          ...result,
          problem: {
            ...result.problem,
            message: `${result.problem.message} ${objectKey(record.source)} is missing in the workspace, or not visible.`,
          },
        };
  }

  async #readSource(context: RelatedRun, record: PairRecord, looked: Dependency[]): Promise<ReadResult> {
    try {
      return { kind: 'read', object: await this.#reads.source(context, record, looked) };
    } catch (error) {
      if (error instanceof NotReady) return { kind: 'notReady' };
      if (context.signal.aborted) throw error;
      const problem = refusalOf(error, record.origin);
      return problem === undefined ? { kind: 'failed', error } : { kind: 'refused', problem };
    }
  }

  async #run(
    look: Look,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    how: PairHow,
  ): Promise<PairOutcome> {
    const { context } = look;
    if (how.forcedDeletion && !this.#options.surveyed())
      return { kept: isRemembered(look, record), waiting: true, pending: true };
    const opened = await this.#open(look, record, source, how);
    if (opened.kind === 'outcome') return opened.outcome;
    const { uid } = opened.view.destination?.metadata ?? {};
    // The record names this very object: creators of other copies use another destination.
    if (how.forcedDeletion || (uid !== undefined && uid === opened.view.made))
      return this.#runOpened(context, record, opened);
    return this.#options.uses.exclusively(copyId(context.identity.cluster, record), async () => {
      const again = await this.#open(look, record, source, how);
      return again.kind === 'outcome' ? again.outcome : this.#runOpened(context, record, again);
    });
  }

  /** Reads the copy of a pair, and determines its owner. */
  async #open(
    look: Look,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    how: PairHow,
  ): Promise<OpenedPair> {
    const { context } = look;
    const { cluster } = context.identity;
    const own = originalId(cluster, record);
    const holders = this.#sharing.holdersOf(context, record);
    // The destination belongs to another source, or another one keeps the copy.
    const isOthers =
      how.isDestinationTaken === true || (how.forcedDeletion && holders.some((other) => other.source === own));
    try {
      const ports = relatedPorts(this.#options, context, record);
      const settings = await this.#settings(context, record, source, how);
      const there = isOthers ? undefined : await this.#reads.copy(context, record);
      const written = look.known.get(recordId(record));
      // The record may name an earlier copy, as after a restore of the state Secrets to an earlier time.
      const isSame = written !== undefined && written.uid === there?.metadata.uid;
      const known =
        (isSame ? undefined : await this.#made.find(idOf(context, record), record, ports, there, context.signal)) ??
        written;
      const { made, taken } = decideDestination({ source: own, known, holders, uid: there?.metadata.uid });
      const isTaken = isOthers || taken;
      if (isTaken && !how.forcedDeletion)
        return { kind: 'outcome', outcome: { kept: known !== undefined, pending: false, problem: collision } };
      const view = this.#view(look, record, { source, destination: isTaken ? undefined : there, made, isTaken });
      return { kind: 'opened', view, ports, settings };
    } catch (error) {
      return { kind: 'outcome', outcome: this.#unopened(look, record, how, error) };
    }
  }

  #view(
    look: Look,
    record: PairRecord,
    {
      source,
      destination,
      made,
      isTaken,
    }: Pick<PairView, 'source' | 'destination' | 'made'> & { readonly isTaken: boolean },
  ): PairView {
    const { context } = look;
    return {
      source,
      destination,
      last: lastOf(look, record),
      made,
      remembered: made !== undefined || isRemembered(look, record),
      memory: {
        ...this.#memories.get(idOf(context, record)),
        ...(context.deleting ? { deletionSeen: true as const } : {}),
        ...(isTaken ? { gone: 'none' } : {}),
      },
      placement: () => ({ kind: 'placed', key: record.destination }),
      isNeededByOthers: () => this.#sharing.isNeeded(context, record),
      others: () => (this.#options.surveyed() ? 'none' : 'unknown'),
      selected: true,
    };
  }

  /** Decides about a pair whose copy could not be read. */
  #unopened(look: Look, record: PairRecord, { forcedDeletion }: PairHow, error: unknown): PairOutcome {
    const { context } = look;
    // An unreadable object that was not ours stays foreign.
    const kept = isRemembered(look, record);
    if (error instanceof NotReady) return { kept, waiting: true, pending: true };
    if (context.signal.aborted) throw error;
    const refused = forcedDeletion ? refusalOf(error, record.origin === 'kcp' ? 'service' : 'kcp') : undefined;
    if (refused === undefined)
      return {
        kept,
        waiting: true,
        pending: false,
        problem: { reason: 'RelatedUnavailable', message: sentence(messageOf(error)), actor: 'provider' },
        error,
      };
    return this.#outOfReach(context, record, { kind: context.overdue === true ? 'leave' : 'wait', problem: refused });
  }

  async #runOpened(context: RelatedRun, record: PairRecord, { view, ports, settings }: Opened): Promise<PairOutcome> {
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
      const decision = await runPair(view, {
        settings,
        ports,
        signal: context.signal,
        now: this.#options.now,
        failures: this.#options.failures,
        id,
        acted: (action, result) => {
          isNew ||= result.made !== undefined;
          this.#acted(context, record, view, action, result);
        },
      });
      this.#remember(id, view.memory);
      return this.#settled(context, record, decision, view, ours());
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      this.#remember(id, view.memory);
      return this.#failed(context, record, error, view, ours());
    }
  }

  #acted(context: RelatedRun, record: PairRecord, view: PairView, action: Action, result: ActResult): void {
    const { uses, acted } = this.#options;
    // Others that reference the same object find it from now on.
    if (result.made !== undefined)
      uses.set(context.key, uniqueRecords([...uses.of(context.key), { ...record, uid: result.made }]));
    const object = record.origin === 'kcp' ? view.source : view.destination;
    if (object !== undefined) acted(context.key, context.identity.cluster, object, action, result);
  }

  #settled(
    context: RelatedRun,
    record: PairRecord,
    decision: Decision,
    view: PairView,
    ours: Pick<PairOutcome, 'uid' | 'isNew'>,
  ): PairOutcome {
    const id = idOf(context, record);
    // The remaining work is parked, so its report still holds.
    const standing = this.#options.failures.standing(id, decision.actions);
    const stands =
      standing === undefined
        ? {}
        : {
            problem: standing.problem,
            requeueAfterMs: Math.min(decision.requeueAfterMs ?? Infinity, Math.max(1, standing.forMs)),
          };
    const settled = settledOutcome(decision, view);
    const [next] = decision.actions;
    if (next === undefined) {
      this.#refusals.delete(id);
      return { ...settled, ...ours, ...stands };
    }
    if (decision.verdict.kind === 'held') this.#refusals.set(id, decision.verdict);
    const problem = this.#refusals.get(id);
    return this.#refusedEnd(context, record, next, problem) ?? { ...settled, ...ours, problem, ...stands };
  }

  #failed(
    context: RelatedRun,
    record: PairRecord,
    { action, cause }: StepError,
    view: PairView,
    ours: Pick<PairOutcome, 'uid' | 'isNew'>,
  ): PairOutcome {
    const id = idOf(context, record);
    const side = sideOf(action, record.origin);
    const atOnce = problemOf(cause, side, action.type.startsWith('writeStatus') ? 'status' : 'object');
    const { problem, nextAttempt } = this.#options.failures.failed(id, action, {
      atOnce,
      later: lastingProblemOf(cause, side),
    });
    if (problem !== undefined) this.#refusals.set(id, problem);
    const kept = view.remembered || view.destination !== undefined;
    return (
      this.#refusedEnd(context, record, action, problem) ?? {
        kept,
        pending: false,
        problem,
        error: cause,
        nextAttempt,
        ...ours,
      }
    );
  }

  #refusedEnd(
    context: RelatedRun,
    record: PairRecord,
    action: Action,
    problem: Problem | undefined,
  ): PairOutcome | undefined {
    const decided = decideRefusedEnd(context, action, problem);
    return decided === undefined ? undefined : this.#outOfReach(context, record, decided);
  }

  #outOfReach(
    context: RelatedRun,
    record: PairRecord,
    { kind, problem }: NonNullable<ReturnType<typeof decideRefusedEnd>>,
  ): PairOutcome {
    if (kind === 'wait') return unreachable(problem);
    this.#leaveUnread(context, record, problem);
    return { kept: false, pending: false };
  }

  #leaveUnread({ key, identity: { cluster } }: RelatedRun, record: PairRecord, why: Problem): void {
    this.#options.left(cluster, leftUnread(key, record, why), undefined);
  }

  #remember(
    id: string,
    { gone, copyKey, statusRefused, statusMissing, corrections, written, attempted }: PairMemory,
  ): void {
    if ([gone, copyKey, statusRefused, corrections, written, attempted].every((field) => field === undefined))
      this.#memories.delete(id);
    else this.#memories.set(id, { gone, copyKey, statusRefused, statusMissing, corrections, written, attempted });
  }

  async #settings(
    context: RelatedRun,
    record: PairRecord,
    source: UnstructuredObject | undefined,
    how: PairHow,
  ): Promise<PairSettings> {
    const { kcp: onKcp, service: onService } = record;
    const same =
      onKcp.group === onService.group && onKcp.version === onService.version && onKcp.resource === onService.resource;
    const { apiVersion, kind } =
      same && source !== undefined
        ? source
        : how.forcedDeletion
          ? { apiVersion: 'v1', kind: 'Object' }
          : await this.#reads.kindOfCopy(context, record);
    return relatedSettings(this.#options, context, record, { apiVersion, kind }, how);
  }
}

function lastOf({ context: { draft, identity } }: Look, record: PairRecord): LastState {
  return draft.last(ownerOfRelated(identity.cluster, record));
}

/** Whether a record names it as synced, or an agent without recorded destinations pushed it. */
function isRemembered(look: Look, record: PairRecord): boolean {
  return look.known.has(recordId(record)) || (lastOf(look, record).kind !== 'none' && look.isRemembered(record));
}

function idOf({ key }: RelatedRun, record: PairRecord): string {
  return `${key}#${recordId(record)}`;
}
