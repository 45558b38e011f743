import type { UnstructuredObject } from '@hawser/client';

import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import { contentDifference } from './content-difference.js';
import { decideContest } from './decide-contest.js';
import type { Action, Decision, Verdict } from './decision.js';
import type { Difference } from './difference.js';
import { driftedPaths, leavingAlone, without } from './left-alone.js';
import { CONSUMER_OBJECT, REWRITTEN_HASH, WANTED_HASH } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { type Belonging, isMadeByKonnector, objectMark, ownershipMarks } from './ownership.js';
import { removedByConsumer } from './removed-by-consumer.js';
import { held, pathsInWords, progressing } from './verdicts.js';
import { type Wanted, actualOf, wantedHash, wantedOf } from './wanted.js';

/** Hash that identifies a wanted content; ignores the provider's fields. */
export function contentHash(wanted: Wanted, policy: BindingPolicy): string {
  return wantedHash(without(wanted, policy.ignored));
}

/** Brings the copy to the wanted content, without touching what the provider added. */
export function decideContent(
  observed: Observed,
  copy: UnstructuredObject,
  belonging: Belonging,
  adopting: boolean,
  consumer: UnstructuredObject,
  settings: PairSettings,
): Decision {
  const policy = settings.policy ?? defaultPolicy;
  const inStep: Decision = { actions: [], verdict: { kind: 'inStep' } };
  const { labelsOfCopy } = settings.dialect.marks;
  const actual = actualOf(copy, labelsOfCopy);
  const asked = wantedOf(consumer, labelsOfCopy);
  const everything = leavingAlone(asked, actual, policy.ignored);
  const whole = contentDifference(everything, actual);
  if (whole.wrong.length === 0 && whole.extra.length === 0 && !adopting) return inStep;

  const hash = contentHash(asked, policy);
  const marks = copy.metadata.annotations ?? {};
  const { memory } = observed;
  const before = writtenFrom(memory.previous, marks[WANTED_HASH], policy, labelsOfCopy);
  const isFromWanted = marks[WANTED_HASH] === hash;
  const drifted =
    adopting || policy.drift === 'Correct' ? [] : driftedIn(whole.wrong, isFromWanted, everything, before);
  const wanted = leavingAlone(everything, actual, drifted);
  const difference = drifted.length === 0 ? whole : contentDifference(wanted, actual);

  let leftover: Difference['extra'] = [];
  const suspects = isFromWanted ? [] : (removedByConsumer(difference.extra, wanted, before) ?? difference.extra);
  if (suspects.length > 0) {
    const inspected = inspectedLeftover(observed, hash, suspects);
    if (inspected === undefined) return inspectCopy(copy, hash, suspects, difference.wrong.length === 0 && !adopting);
    leftover = inspected;
  }
  const nothingElse = difference.wrong.length === 0 && leftover.length === 0;
  if (nothingElse && drifted.length === 0 && !adopting) return inStep;
  if (!adopting && marks[REWRITTEN_HASH] === hash) return { actions: [], verdict: rewritten(whole) };
  const repeated = memory.lastWrite?.wantedHash === hash;
  const asWritten =
    memory.lastWrite?.wantedHash === hash &&
    memory.lastWrite.resourceVersion === copy.metadata.resourceVersion &&
    memory.lastWrite.partly !== true;
  if (!adopting && asWritten)
    return { actions: [{ type: 'recordRewritten', copy, wantedHash: hash }], verdict: rewritten(whole) };

  // Name only a proven copy: a child that inherited Go's marks would be ours for good. A person asks for adoption.
  const mayName = belonging.kind === 'foreign' ? true : isMadeByKonnector(copy, belonging.isNamed, memory);
  const patch = (content: Wanted, wrong: Difference['wrong'], partly: boolean): Action => ({
    type: 'patchCopy',
    copy,
    wanted: content,
    wantedHash: hash,
    remove: leftover,
    correction: repeated || isFromWanted,
    wrong,
    partly,
    annotations: {
      ...(adopting ? ownershipMarks(consumer, settings) : {}),
      ...marksToSet(marks, consumer, settings, mayName === true),
      [WANTED_HASH]: hash,
    },
  });
  if (nothingElse && drifted.length > 0)
    return policy.drift === 'Ignore'
      ? inStep
      : { ...reported(drifted), withheld: [patch(everything, whole.wrong, false)] };
  const write = patch(wanted, difference.wrong, drifted.length > 0);
  // Written before and missing now: a writer on the provider, or a konnector that wants other content, replaced it.
  if (repeated || (!adopting && isFromWanted)) {
    const holding = decideContest(observed, copy, difference.wrong, hash, settings) ?? drifting(observed, difference);
    if (holding !== undefined) return holding.actions.length > 0 ? holding : { ...holding, withheld: [write] };
  }
  return { actions: [mayName === undefined ? { type: 'inspectMaker', copy } : write], verdict: progressing('write') };
}

/** The differences made on the provider: all of them, if the copy was written from the present wanted content. */
function driftedIn(
  wrong: Difference['wrong'],
  isFromWanted: boolean,
  wanted: Wanted,
  before: Wanted | undefined,
): Difference['wrong'] {
  if (isFromWanted) return wrong;
  return before === undefined ? [] : driftedPaths(wrong, wanted, before);
}

const keyOfExtras = (extras: Difference['extra']): string => extras.map((path) => path.join('\u0000')).join('\u0001');

/** The inspected leftovers among these fields; undefined: not inspected yet. */
function inspectedLeftover(
  { memory: { inspection } }: Observed,
  hash: string,
  extras: Difference['extra'],
): Difference['extra'] | undefined {
  return inspection?.wantedHash === hash && inspection.extrasKey === keyOfExtras(extras)
    ? inspection.leftover
    : undefined;
}

function inspectCopy(
  { metadata: { name, namespace } }: UnstructuredObject,
  wantedHash: string,
  extras: Difference['extra'],
  onlyReason: boolean,
): Decision {
  const extrasKey = keyOfExtras(extras);
  return {
    actions: [{ type: 'inspectCopy', key: { name, namespace }, wantedHash, extras, extrasKey, onlyReason }],
    verdict: progressing('write'),
  };
}

/** The marks to set on a copy: missing ones, and those of an earlier object. */
function marksToSet(
  marks: Readonly<Record<string, string>>,
  consumer: UnstructuredObject,
  { dialect, consumerCluster }: PairSettings,
  mayName: boolean,
): Readonly<Record<string, string>> {
  const { consumerUID, consumerCluster: cluster } = dialect.marks;
  const name = objectMark(consumer, consumer.metadata);
  return {
    ...(marks[consumerUID] === consumer.metadata.uid ? {} : { [consumerUID]: consumer.metadata.uid ?? '' }),
    ...(marks[cluster] === consumerCluster ? {} : { [cluster]: consumerCluster }),
    ...(!mayName || marks[CONSUMER_OBJECT] === name ? {} : { [CONSUMER_OBJECT]: name }),
  };
}

/** The content that the copy was written from, if the last version in step shows it. */
function writtenFrom(
  previous: UnstructuredObject | undefined,
  writtenHash: string | undefined,
  policy: BindingPolicy,
  labelsOfCopy: PairSettings['dialect']['marks']['labelsOfCopy'],
): Wanted | undefined {
  if (previous === undefined || writtenHash === undefined) return undefined;
  const before = wantedOf(previous, labelsOfCopy);
  return contentHash(before, policy) === writtenHash ? before : undefined;
}

function rewritten(difference: Difference): Verdict {
  return {
    kind: 'rewritten',
    message: `The provider stores ${pathsInWords(difference.wrong)} differently from what was asked for. Its answer is accepted.`,
  };
}

function reported(drifted: Difference['wrong']): Decision {
  return held(
    'Drifted',
    `A writer on the provider has changed ${pathsInWords(drifted)}. The drift policy is Report, so the copy stays as it is. Have the provider undo the change, make the same change to this object, or set another drift policy.`,
    'provider',
  );
}

/** Not the first time: corrections of the same content are spaced further and further. */
function drifting({ memory, now }: Observed, { wrong }: Difference): Decision | undefined {
  if (memory.contest !== undefined || memory.correctNotBefore === undefined || now >= memory.correctNotBefore)
    return undefined;
  const message = `A writer on the provider keeps changing ${wrong.length === 0 ? 'whose copy it is' : pathsInWords(wrong)}. The konnector puts it back ever less often. Find the writer in the managedFields of the copy, and agree on one owner.`;
  return { ...held('Drifting', message, 'provider'), requeueAfterMs: memory.correctNotBefore - now };
}
