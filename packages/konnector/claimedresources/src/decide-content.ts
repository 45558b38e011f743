import { type KubeObject, type UnstructuredObject, versionOf } from '@hawser/client';
import {
  type Path,
  REWRITTEN_HASH,
  WANTED_HASH,
  contestInWords,
  contestOf,
  ownedByOthers,
  pathsInWords,
  writersOf,
} from '@hawser/konnector-sync';

import type { Action, Decision } from './decision.js';
import type { Actor, Verdict } from './verdict.js';
import { type Side, otherSide } from './marks.js';
import { type Observed } from './observed.js';
import type { ClaimPolicy } from './policies.js';
import { held, on, progressing, standing, write } from './verdicts.js';
import {
  type CopyContext,
  changeOf,
  contentHash,
  mustBeReplaced,
  namesAnother,
  originMarks,
  wantedContent,
} from './wanted.js';

export interface ContentPair {
  /** The side of `original`. */
  readonly owner: Side;
  /** Both read live. */
  readonly original: UnstructuredObject;
  readonly copy: UnstructuredObject;
  /** The copy as cached. */
  readonly found: KubeObject;
  readonly context: CopyContext;
  readonly policy: ClaimPolicy;
  /** Takes over a copy that another client made. */
  readonly adopting: boolean;
}

/** Changes a copy to the wanted content, as far as the drift policy permits. Pure. */
export function decideContent(
  observed: Observed,
  { owner, original, copy, found, context, policy, adopting }: ContentPair,
): Decision {
  const side = otherSide(owner);
  const wanted = wantedContent(original, owner, context);
  const hash = contentHash(wanted, original, policy.ignored);
  const annotations = copy.metadata.annotations ?? {};
  const whole = changeOf(copy, wanted, policy.ignored, context.marks);
  const drifted =
    adopting || policy.drift === 'Correct'
      ? []
      : driftOf(
          observed,
          owner,
          original,
          copy,
          [...whole.wrong, ...whole.remove],
          annotations[WANTED_HASH] === hash,
        ).filter((path) => !isMark(path, context));
  const change = drifted.length === 0 ? whole : changeOf(copy, wanted, [...policy.ignored, ...drifted], context.marks);
  const changed = [...change.wrong, ...change.remove];
  const nothing = changed.length === 0 && !adopting && !namesAnother(copy, original, owner, context);
  if (nothing && drifted.length === 0) return standing({ kind: 'inStep', owner });

  const { memory, now } = observed;
  if (!adopting && annotations[REWRITTEN_HASH] === hash && !namesAnother(copy, original, owner, context))
    return standing(rewritten(observed, owner, whole.wrong));
  if (memory.lastWrite?.copy === versionOf(copy) && memory.lastWrite.hash === hash && !memory.lastWrite.partly) {
    return write({ type: 'recordRewritten', side, copy: found, hash });
  }
  const correction = !adopting && (annotations[WANTED_HASH] === hash || memory.lastWrite?.hash === hash);
  const patch = (of: typeof change, partly: boolean): Action =>
    mustBeReplaced(copy, of)
      ? { type: 'deleteCopy', side, copy: found, why: 'replace' }
      : {
          type: 'patchCopy',
          side,
          copy,
          wanted: of.wanted,
          remove: of.remove,
          annotations: { ...originMarks(original, owner, context), [WANTED_HASH]: hash },
          from: versionOf(original),
          hash,
          correction,
          wrong: [...of.wrong, ...of.remove],
          partly,
        };
  if (nothing)
    return policy.drift === 'Ignore'
      ? standing({ kind: 'inStep', owner })
      : { ...reported(observed, side, drifted), withheld: [patch(whole, false)] };

  const action = patch(change, drifted.length > 0);
  if (correction) {
    const contest = contestOf(memory, changed, hash, now);
    if (contest !== undefined) {
      const writers = writersOf(contest.paths, copy.metadata.managedFields ?? []);
      const decision = held(
        'ClaimedFieldContested',
        `${on(side, observed)}: ${contestInWords({ ...contest, writers }, side)}`,
        actorOf(side),
      );
      return { ...decision, ...later(decision.verdict, contest.until, now, original, { contest }), withheld: [action] };
    }
    const holding = drifting(observed, side, original);
    if (holding !== undefined) return { ...holding, withheld: [action] };
  }
  return write(action);
}

/**
 * Verdict on a client that keeps changing the copy; corrections then wait. Reported only after a few times: before, it
 * may be an accident.
 */
export function drifting(observed: Observed, side: Side, original: KubeObject): Decision | undefined {
  const {
    memory: { correctNotBefore, corrections = 0 },
    now,
  } = observed;
  if (correctNotBefore === undefined || now >= correctNotBefore) return undefined;
  const message = `Another writer keeps changing ${on(side, observed)}, which is a copy. The konnector has put it back ${corrections} times, and does so ever less often. Find the writer in its managedFields, and agree on one owner.`;
  const decision = progressing(
    'backoff',
    corrections < TOLERATED ? undefined : { reason: 'ClaimedObjectDrifting', message, actor: 'operator' },
  );
  return { ...decision, ...later(decision.verdict, correctNotBefore, now, original, {}) };
}

const TOLERATED = 3;
/** Recheck period for a copy that must wait longer: it may be in sync by then. */
const LOOK_AGAIN_MS = 30_000;

function later(
  verdict: Verdict,
  until: number,
  now: number,
  original: KubeObject,
  remember: NonNullable<Decision['remember']>,
): Pick<Decision, 'requeueAfterMs' | 'remember'> {
  const at = Math.min(until, now + LOOK_AGAIN_MS);
  return {
    requeueAfterMs: at - now,
    remember: { ...remember, parked: { from: versionOf(original), until: at, verdict } },
  };
}

/**
 * Selects the differing paths that were changed on the copy's side. All of them, if the original equals the one last
 * written or seen in sync. Otherwise managedFields decide: values from other managers. A removed field has no manager,
 * and counts as a change of the original.
 */
function driftOf(
  { memory }: Observed,
  owner: Side,
  original: UnstructuredObject,
  copy: UnstructuredObject,
  paths: readonly Path[],
  sameAsWritten: boolean,
): readonly Path[] {
  return sameAsWritten || memory.inStep?.[owner] === versionOf(original)
    ? paths
    : ownedByOthers(paths, copy.metadata.managedFields ?? []);
}

function isMark([first, , key = '']: Path, { marks }: CopyContext): boolean {
  return first === 'metadata' && marks.isMark(key);
}

function rewritten(observed: Observed, owner: Side, wrong: readonly Path[]): Verdict {
  const side = otherSide(owner);
  return {
    kind: 'rewritten',
    owner,
    message: `The ${side} stores ${wrong.length === 0 ? 'more' : pathsInWords(wrong)} in ${on(side, observed)} than was asked for, or something else. Its answer is accepted.`,
  };
}

function reported(observed: Observed, side: Side, drifted: readonly Path[]): Decision {
  const message = `Another writer has changed ${pathsInWords(drifted)} of ${on(side, observed)}, which is a copy. The drift policy is Report, so the copy stays as it is. Undo the change, make the same change to the original, or set another drift policy.`;
  return held('ClaimedObjectDrifted', message, actorOf(side));
}

/** Who can fix a problem on a side. */
const actorOf = (side: Side): Actor => (side === 'consumer' ? 'operator' : 'provider');
