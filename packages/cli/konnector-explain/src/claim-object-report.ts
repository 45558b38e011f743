import type { Resource } from '@hawser/client';
import { type Verdict, claimedKind } from '@hawser/claimedresources';
import { conditionTypes } from '@hawser/kube-bind';
import { type Reason, findReason } from '@hawser/reasons';

import type { ClaimExamination } from './claim-pairs.js';
import { type Judged, type ObjectContext, dated, due, isDryRunTrouble, notKnown, silent } from './object-report.js';
import type { ObjectReport } from './report.js';

const known = (reason: string): Reason | undefined =>
  findReason('APIServiceBinding', reason, conditionTypes.claimsInSync);

/** How one claimed object stands, in words. Undefined if no claim selects it and no action is due. */
export async function reportClaimedObject(
  resource: Resource,
  examination: ClaimExamination,
  context: Omit<ObjectContext, 'kind'>,
): Promise<ObjectReport | undefined> {
  const { object, found, verdict, writes, obstacle, failure } = examination;
  if ((verdict.kind === 'absent' || verdict.kind === 'notSelected') && obstacle === undefined && failure === undefined)
    return undefined;
  const kind = claimedKind(resource) ?? resource.resource;
  const judged = judge(examination, context.alive);
  const copy =
    (verdict.kind === 'inStep' || verdict.kind === 'rewritten') &&
    verdict.owner === 'consumer' &&
    found.provider !== undefined
      ? `${found.provider.metadata.namespace ?? ''}/${found.provider.metadata.name}`
      : undefined;
  const base = { kind, object, copy, writes };
  if (judged.standing === 'inStep') return { ...base, ...judged };
  return { ...base, ...(await dated(judged, { consumer: found.consumer, writes, failure, known }, context)) };
}

/** For an object of the consumer that no claim selects. Undefined: there is none. */
export function notClaimed(resource: Resource, { object, found }: ClaimExamination): ObjectReport | undefined {
  if (found.consumer === undefined) return undefined;
  return {
    kind: claimedKind(resource) ?? resource.resource,
    object,
    standing: 'inStep',
    writes: [],
    finding: {
      reason: NOT_CLAIMED,
      message:
        'No claim that this consumer has accepted selects it, so it is not copied. A claim selects by name, labels, or what bound objects refer to.',
      actor: 'nobody',
    },
  };
}

/** Reason of {@link notClaimed}. */
export const NOT_CLAIMED = 'NotSelected';

function judge({ verdict, obstacle, failure, writes }: ClaimExamination, alive: boolean): Judged {
  if (obstacle !== undefined)
    return { standing: 'held', finding: { ...obstacle, remedy: known(obstacle.reason)?.remedy } };
  if (failure !== undefined && !isDryRunTrouble(failure)) return notKnown(failure);
  switch (verdict.kind) {
    case 'absent':
    case 'notSelected':
    case 'inStep':
      return { standing: 'inStep' };
    case 'rewritten':
      return { standing: 'inStep', finding: { reason: 'Rewritten', message: verdict.message, actor: 'nobody' } };
    case 'held':
      return { standing: 'held', finding: { reason: verdict.reason, message: verdict.message, actor: verdict.actor } };
    case 'orphan':
      return { standing: 'underWay', finding: { reason: 'UnderWay', message: verdict.message, actor: 'nobody' } };
    case 'progressing':
      if (verdict.overdue !== undefined) return { standing: 'held', finding: { ...verdict.overdue } };
      if (!alive) return silent(writes.length);
      if (writes.length > 0) return due(writes.length);
      return {
        standing: 'underWay',
        finding: {
          reason: 'UnderWay',
          message: `It waits for ${WAITING[verdict.waitingFor]}, which comes by itself.`,
          actor: 'nobody',
        },
      };
  }
}

const WAITING = {
  write: 'the next write',
  namespace: 'the provider to assign a namespace',
  cache: 'the objects on the other side to be listed',
  copyToGo: 'the copy to go',
  originalToGo: 'the original to go',
  backoff: 'the next try',
} as const satisfies Record<Extract<Verdict, { kind: 'progressing' }>['waitingFor'], string>;
