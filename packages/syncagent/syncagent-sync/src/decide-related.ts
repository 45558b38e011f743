import type { UnstructuredObject } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { Action, Decision } from './decision.js';
import type { LastState } from './observed.js';
import { type PairRecord, RECORDS_BYTES, recordId, sizeOfRecord } from './pair-record.js';
import type { PairView } from './pair.js';
import type { PairOutcome, RelatedRun } from './related-run.js';
import type { Holder } from './related-uses.js';
import { covers } from './three-way.js';

/** Interval for retrying unreadable objects. */
const UNREADABLE_RECHECK_MS = 60_000;

/** A primary's requirements for its related objects. */
export type Wish = Pick<RelatedRun, 'deleting' | 'letGo' | 'overdue'>;

/** Result of reading an object. `refused`: that may last. */
export type ReadResult =
  | { readonly kind: 'read'; readonly object: UnstructuredObject | undefined }
  | { readonly kind: 'notReady' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Decision about a pair that its primary no longer references. */
export type CleanUp =
  | { readonly kind: 'over'; readonly outcome: PairOutcome }
  /** The original must be read first. */
  | { readonly kind: 'readSource' }
  /** `unread`: why the original is unknown, if it has our finalizer; reported if the copy goes without it. */
  | {
      readonly kind: 'run';
      readonly source: UnstructuredObject | undefined;
      readonly forcedDeletion: boolean;
      readonly isDestinationTaken: boolean;
      readonly unread: Problem | undefined;
    };

/** `read` undefined: nothing was read yet. `isDestinationReferenced`: a present reference has this destination. */
export function decideCleanUp(
  { origin, cleanup }: Pick<PairRecord, 'origin' | 'cleanup'>,
  { letGo, overdue }: Wish,
  read: ReadResult | undefined,
  isDestinationReferenced: boolean,
): CleanUp {
  const over = (outcome: PairOutcome): CleanUp => ({ kind: 'over', outcome });
  const forcedDeletion = letGo !== true;
  if (origin === 'service' && (!cleanup || !forcedDeletion)) return over({ kept: false, pending: false });
  if (read === undefined) return { kind: 'readSource' };
  if (read.kind === 'notReady') return over({ kept: true, pending: true });
  if (read.kind === 'failed') return over({ kept: true, pending: false, error: read.error });
  const refused = read.kind === 'refused' ? read.problem : undefined;
  const source = read.kind === 'read' ? read.object : undefined;
  // An original of the service cluster has nothing of ours: its copy goes without it.
  const unread = origin === 'kcp' ? refused : undefined;
  if (unread !== undefined && overdue !== true) return over(unreachable(unread));
  // Another object has the destination now, as after a reference that moved on under the same name: only the finalizer is
  // left to remove.
  if (isDestinationReferenced)
    return { kind: 'run', source, forcedDeletion, isDestinationTaken: true, unread: undefined };
  if (source === undefined && !forcedDeletion) return over({ kept: refused !== undefined, pending: false });
  return { kind: 'run', source, forcedDeletion, isDestinationTaken: false, unread };
}

/** Whether the copy of a referenced object goes with its primary; `stays`: nothing has to be done about it. */
export function decideEnding(
  { origin, cleanup }: Pick<PairRecord, 'origin' | 'cleanup'>,
  { deleting, letGo }: Wish,
): { readonly forcedDeletion: boolean; readonly stays: boolean } {
  const forcedDeletion = deleting && letGo !== true && (cleanup || origin === 'kcp');
  // A copy that stays in the workspace is left unchanged: its primary goes without waiting for it.
  return { forcedDeletion, stays: deleting && !forcedDeletion && origin === 'service' };
}

/** Input for deciding about the destination of a copy. */
export interface DestinationClaim {
  /** {@link originalId} of the claiming source. */
  readonly source: string;
  /** Its record. */
  readonly known: PairRecord | undefined;
  readonly holders: readonly Holder[];
  /** uid of the object at the destination. */
  readonly uid: string | undefined;
}

/** `made`: uid of the copy made for it. `taken`: the destination belongs to another source. */
export function decideDestination({ source, known, holders, uid }: DestinationClaim): {
  readonly made: string | undefined;
  readonly taken: boolean;
} {
  // Of several that reference one object, each has it.
  const made =
    uid !== undefined && holders.some((holder) => holder.source === source && holder.uid === uid) ? uid : known?.uid;
  return { made, taken: isTaken({ source, known, made }, holders, uid) };
}

/**
 * Whether the destination belongs to another source: that of the object there, else one known to have made a copy there, else
 * one that had a copy there. Of several the first by name has it.
 */
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

/** Records of `current` that no longer fit: the first ones get the remaining room. */
export function withoutRoom(current: readonly PairRecord[], before: readonly PairRecord[]): ReadonlySet<PairRecord> {
  const known = new Set(before.map(recordId));
  const without = new Set<PairRecord>();
  let recordBytes = before.reduce((sum, record) => sum + sizeOfRecord(record), 0);
  for (const record of current) {
    if (known.has(recordId(record))) continue;
    const bytes = sizeOfRecord(record);
    if (recordBytes + bytes > RECORDS_BYTES) without.add(record);
    else recordBytes += bytes;
  }
  return without;
}

/**
 * Decides about references of the time of a Go agent's last push. Only those remembered as synced, with a copy of the
 * synced content, are `ours`.
 */
export function decideFormer(
  last: LastState,
  copy: UnstructuredObject | undefined,
  isReferredTo: boolean,
): 'ours' | 'leave' | 'nothing' {
  if (last.kind !== 'known') return 'nothing';
  if (copy !== undefined && covers(copy, last.snapshot, [])) return 'ours';
  return isReferredTo ? 'nothing' : 'leave';
}

/**
 * Actions that end a related object. People in the workspace decide whether they are allowed there, as by its
 * permission claims.
 */
const ENDING: ReadonlySet<Action['type']> = new Set(['releaseFinalizer', 'confirmWritten', 'delete', 'confirmGone']);

/**
 * Decides about a related object whose end is refused in the workspace. Its primary waits for a while, and then goes
 * without. Undefined: not such a case.
 */
export function decideRefusedEnd(
  context: Wish,
  { type }: Action,
  problem: Problem | undefined,
): { readonly kind: 'wait' | 'leave'; readonly problem: Problem } | undefined {
  if (
    !context.deleting ||
    !ENDING.has(type) ||
    (problem?.reason !== 'ForbiddenInWorkspace' && problem?.reason !== 'FailedInWorkspace')
  )
    return undefined;
  return { kind: context.overdue === true ? 'leave' : 'wait', problem };
}

/** Reports it, and retries after a while. */
export function unreachable(problem: Problem): PairOutcome {
  return { kept: true, pending: false, unreachable: problem, requeueAfterMs: UNREADABLE_RECHECK_MS };
}

/** Outcome for a pair that cannot be worked on now. */
export function settledOutcome(
  { verdict, requeueAfterMs }: Decision,
  view: Pick<PairView, 'remembered' | 'destination'>,
): PairOutcome {
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
