import { messageOf, objectKey, sentence } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { PairRecord } from './pair-record.js';
import type { RelatedRule } from './rules.js';

export const collision: Problem = {
  reason: 'RelatedCollision',
  message:
    'Its copy would stand where that of another related object stands. The rules of the PublishedResource have to tell them apart.',
  actor: 'provider',
};

/** Prefixes the text with the related object that it is about. */
export function inWords(
  { identifier, origin, kcp, service, source }: PairRecord,
  { reason, message, actor }: Problem,
): Problem {
  return {
    reason,
    message: `Related object "${identifier}", ${(origin === 'kcp' ? kcp : service).resource} ${objectKey(source)}: ${message}`,
    actor,
  };
}

export function unresolvedProblem({ identifier }: RelatedRule, error: unknown): Problem {
  return {
    reason: 'RelatedUnresolved',
    message: `The related objects "${identifier}" cannot be found: ${sentence(messageOf(error))} They are left as they are.`,
    actor: 'provider',
  };
}

export function noRoomProblem(secretName: string): Problem {
  return {
    reason: 'StateTooLarge',
    message: `It is not synced: the state Secret ${secretName} has no room to write it down. Have the object refer to fewer.`,
    actor: 'provider',
  };
}

/** Names an object whose wait has ended, for the people who must handle it. */
export function leftUnread(primary: string, record: PairRecord, why: Problem): Problem {
  const finalizer =
    record.origin === 'kcp' ? 'Take the finalizer syncagent.kcp.io/cleanup off the object in the workspace. ' : '';
  return inWords(record, {
    reason: 'RelatedLeft',
    message: `${primary} is deleted, and this object could not be let go with it. ${why.message} ${finalizer}Delete its copy, ${copyText(record)}, if it is still there.`,
    actor: 'provider',
  });
}

/**
 * For an object that a Go agent synced and its primary no longer references. `hasCopy`: an object is in its place;
 * `staysCopy`: that is of no more use; `held`: the original has our finalizer.
 */
export function leftOfFormer(
  primary: string,
  record: PairRecord,
  { hasCopy, staysCopy, held }: { readonly hasCopy: boolean; readonly staysCopy: boolean; readonly held: boolean },
): Problem {
  const copy = copyText(record);
  const why = hasCopy
    ? `and ${copy} is not what was pushed then, so that it may have another owner`
    : `and its copy, ${copy}, is not there`;
  const what = [
    ...(staysCopy ? [`delete ${copy} if it is of no use any more`] : []),
    ...(held ? ['take the finalizer syncagent.kcp.io/cleanup off the object in the workspace'] : []),
  ].join(', and ');
  return inWords(record, {
    reason: 'RelatedLeft',
    message: `${primary} referred to it when a Go agent pushed it last, and does no more, ${why}. Both are left as they are. The provider has to ${what}.`,
    actor: 'provider',
  });
}

function copyText({ origin, kcp, service, destination }: PairRecord): string {
  return `${(origin === 'kcp' ? service : kcp).resource} ${objectKey(destination)} ${origin === 'kcp' ? 'on the service cluster' : 'in the workspace'}`;
}
