import { type Client, type KubeObject, type UnstructuredObject, sentence } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import type { Verdict } from '@hawser/konnector-sync';
import { type Reason, findReason } from '@hawser/reasons';
import { type Finding, type Standing, list } from '@hawser/preview';

import type { Examination } from './pairs.js';
import { nextTry, nextTryOfAccepted } from './next-try.js';
import type { PlannedWrite } from './preview-client.js';
import type { ObjectReport } from './report.js';

export interface ObjectContext {
  readonly kind: string;
  readonly consumer: Client;
  /** Whether a konnector has reported lately. */
  readonly alive: boolean;
  /** The API servers judged each write by a dry run. */
  readonly dryRun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** How one object stands, in words. Reads Events of an object that is not in step, for the start time. */
export async function reportObject(examination: Examination, context: ObjectContext): Promise<ObjectReport> {
  const { object, copy, writes } = examination;
  const judged = judge(examination, context.alive);
  const copyName =
    copy === undefined
      ? undefined
      : `${copy.metadata.namespace === undefined ? '' : `${copy.metadata.namespace}/`}${copy.metadata.name}`;
  const base = { kind: context.kind, object, copy: copyName, writes };
  if (judged.standing === 'inStep') return { ...base, ...judged };
  return {
    ...base,
    ...(await dated(judged, { ...examination, known: (reason) => findReason('BoundObject', reason) }, context)),
  };
}

export interface Judged {
  readonly standing: Standing;
  readonly finding?: Finding | undefined;
}

function judge({ verdict, obstacle, failure, writes, consumer, copy }: Examination, alive: boolean): Judged {
  if (obstacle !== undefined)
    return { standing: 'held', finding: { ...obstacle, remedy: findReason('BoundObject', obstacle.reason)?.remedy } };
  if (failure !== undefined && !isDryRunTrouble(failure)) return notKnown(failure);
  switch (verdict.kind) {
    case 'absent':
      return { standing: 'inStep' };
    case 'inStep':
      return { standing: 'inStep' };
    case 'notSelected':
      return {
        standing: 'inStep',
        finding: { reason: 'NotSelected', message: 'This binding does not serve this object.', actor: 'nobody' },
      };
    case 'rewritten':
      return { standing: 'inStep', finding: { reason: 'Rewritten', message: verdict.message, actor: 'nobody' } };
    case 'held':
      return {
        standing: 'held',
        finding: {
          reason: verdict.reason,
          message: verdict.message,
          actor: verdict.actor,
          since: consumer?.metadata.deletionTimestamp,
        },
      };
    case 'orphan':
      return { standing: 'held', finding: { reason: 'Orphaned', message: verdict.message, actor: 'consumer' } };
    case 'progressing':
      return progressing(verdict, { consumer, copy }, writes.length, alive);
  }
}

function progressing(
  { waitingFor, overdue }: Extract<Verdict, { kind: 'progressing' }>,
  { consumer, copy }: Pick<Examination, 'consumer' | 'copy'>,
  writes: number,
  alive: boolean,
): Judged {
  if (overdue !== undefined)
    return {
      standing: 'held',
      finding: { ...overdue, since: waitingFor === 'copyToGo' ? copy?.metadata.deletionTimestamp : undefined },
    };
  if (writes === 0 && waitingFor === 'copyToGo') return { standing: 'underWay', finding: copyToGo(consumer, copy) };
  if (!alive) return silent(writes);
  if (writes > 0) return due(writes);
  return {
    standing: 'underWay',
    finding: {
      reason: 'UnderWay',
      message: `It waits for ${WAITING[waitingFor]}, which comes by itself.`,
      actor: 'nobody',
    },
  };
}

/** An object that the decision needs is unreadable. */
export function notKnown(failure: Error): Judged {
  return {
    standing: 'unknown',
    finding: {
      reason: 'NotKnown',
      message: `${sentence(failure.message)} It cannot be told how the object stands.`,
      actor: 'nobody',
    },
  };
}

/** Perhaps no process does the due work. */
export function silent(writes: number): Judged {
  const message = `${writes === 0 ? 'It waits for the konnector.' : writesDue(writes, '.')} No konnector has reported to the provider recently, so perhaps none is running.`;
  return {
    standing: 'held',
    finding: {
      reason: 'KonnectorSilent',
      message,
      actor: 'operator',
      remedy: 'see whether the konnector runs, and holds its Lease',
    },
  };
}

export function due(writes: number): Judged {
  return {
    standing: 'underWay',
    finding: {
      reason: 'UnderWay',
      message: writesDue(writes, ', which the konnector does by itself.'),
      actor: 'nobody',
    },
  };
}

const writesDue = (writes: number, rest: string): string =>
  `${writes} ${writes === 1 ? 'write is' : 'writes are'} due${rest}`;

const WAITING = {
  write: 'the next write',
  namespace: 'the provider to assign a namespace',
  cache: 'the copies on the provider to be listed',
  copyToGo: 'the copy to go',
  deletionProof: 'the proof that its deletion is meant',
} as const satisfies Record<Extract<Verdict, { kind: 'progressing' }>['waitingFor'], string>;

/** The provider's controllers must act: they remove their finalizers after their cleanup. */
function copyToGo(consumer: UnstructuredObject | undefined, copy: UnstructuredObject | undefined): Finding {
  const finalizers = (copy ?? consumer)?.metadata.finalizers ?? [];
  const side = copy === undefined ? 'object' : 'copy on the provider';
  return {
    reason: 'CopyTerminating',
    message: `The ${side} is being deleted${finalizers.length === 0 ? '.' : ` and waits for ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.join(', ')}.`} What follows comes by itself.`,
    actor: copy === undefined ? 'consumer' : 'provider',
    remedy: 'if it does not go, find out why the finalizers are not removed',
    since: (copy ?? consumer)?.metadata.deletionTimestamp,
  };
}

interface Event extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly firstTimestamp?: string | null;
  readonly eventTime?: string | null;
}

/** Object and possible reasons of the Events to find. */
interface Dated {
  readonly consumer: KubeObject | undefined;
  readonly writes: readonly PlannedWrite[];
  readonly failure?: Error | undefined;
  readonly known: (reason: string) => Reason | undefined;
}

/**
 * Adds the start time: the konnector recorded it by an Event. For an object with stuck writes, the Event also names the
 * konnector's error. Also adds the time of its next try.
 */
export async function dated(
  judged: Judged,
  { consumer, writes, failure, known }: Dated,
  context: Omit<ObjectContext, 'kind'>,
): Promise<Judged> {
  const { finding } = judged;
  if (finding === undefined) return judged;
  const events = consumer?.metadata.uid === undefined ? [] : await eventsOf(consumer, known, context);
  const same = events.find(({ reason }) => reason === finding.reason);
  const since = finding.since ?? (same === undefined ? undefined : timeOf(same));
  const [latest] = events;
  if (
    same !== undefined ||
    judged.standing !== 'underWay' ||
    writes.length === 0 ||
    latest?.reason === undefined ||
    !context.alive
  ) {
    return {
      ...judged,
      finding: {
        ...finding,
        since,
        message: withNextTry(
          finding.message,
          judged.standing === 'held' && context.alive ? nextTry(finding.reason, since, context.now) : undefined,
        ),
      },
    };
  }
  const { reason, message = '' } = latest;
  const accepted =
    context.dryRun && failure === undefined ? nextTryOfAccepted(reason, timeOf(latest), context.now) : undefined;
  if (accepted !== undefined) {
    return {
      standing: 'underWay',
      finding: {
        reason: 'UnderWay',
        message: `The provider accepts by now what it has refused. ${writesDue(writes.length, '.')} ${accepted} The konnector's last Event is of before that, ${reason}: ${message}`,
        actor: 'nobody',
      },
    };
  }
  const registered = known(reason);
  const quoted = `${message} (the konnector's last Event; ${writesDue(writes.length, '')})`;
  return {
    standing: 'held',
    finding: {
      reason,
      message: withNextTry(quoted, nextTry(reason, timeOf(latest), context.now)),
      actor: registered?.actor ?? 'operator',
      remedy: registered?.remedy,
      since: timeOf(latest),
    },
  };
}

/** The newest first, of those that a konnector writes. */
async function eventsOf(
  { metadata: { namespace = 'default', uid = '' } }: KubeObject,
  known: Dated['known'],
  { consumer, signal }: Pick<ObjectContext, 'consumer' | 'signal'>,
): Promise<readonly Event[]> {
  const listed = await list<Event>(consumer, resources.events, {
    namespace,
    fieldSelector: `involvedObject.uid=${uid}`,
    signal,
  });
  return listed.kind === 'listed'
    ? listed.items
        .filter(({ reason = '' }) => known(reason) !== undefined)
        .toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
    : [];
}

function withNextTry(message: string, next: string | undefined): string {
  return next === undefined ? message : `${sentence(message)} ${next}`;
}

function timeOf({ firstTimestamp, eventTime, metadata }: Event): string {
  return firstTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

/** A webhook with side effects refuses dry runs: that says nothing about the write. */
export function isDryRunTrouble(error: Error): boolean {
  return /dry[ -]?run/iu.test(error.message);
}
