import { controllerOf, objectKey, type UnstructuredObject, messageOf, sentence, versionOf } from '@hawser/client';
import { type JsonObject, type JsonValue, equal } from '@hawser/json';
import { carriedPart, hawserAnnotations } from '@hawser/syncagent-api';

import { agreed } from './agreement.js';
import { isMarked } from './choose-copy.js';
import type { Action, Decision } from './decision.js';
import { differencesIn } from './differences-in.js';
import { describe } from './keys.js';
import { ADOPTED, PLACE } from './marks.js';
import { agrees, isPending, ownershipOf } from './ownership.js';
import type { LastState, Observed, PairMemory, PairSettings } from './observed.js';
import { changes, changesSince, covers, lacking, merged, missingMarks, replacement } from './three-way.js';
import { held, waiting, writing } from './verdicts.js';
import { isWrittenBySomeAgent } from './written-by.js';

/** Corrections within a minute from which on another writer counts as removing our content. */
const CONTESTED_AFTER = 5;
const CONTEST_WINDOW_MS = 60_000;
const CONTEST_PAUSE_MS = 300_000;
/** Interval of looks: the cause may end without an event. */
const RECHECK_MS = 60_000;

/** Decides if both sides exist: content flows one way, status as the pair defines it. */
export function decideContent(
  observed: Observed,
  source: UnstructuredObject,
  destination: UnstructuredObject,
  settings: PairSettings,
): Decision {
  let wanted = source;
  let shown = destination;
  try {
    if (settings.mutations !== undefined) {
      wanted = settings.mutations.spec(source, destination);
      shown = settings.mutations.status(destination, wanted);
    }
  } catch (error) {
    return held(
      'MutationFailed',
      `The mutation rules of the PublishedResource cannot be applied to this object: ${sentence(messageOf(error))}`,
      'provider',
    );
  }
  // A copy that is being deleted is recreated when it is gone.
  if (destination.metadata.deletionTimestamp !== undefined) return waiting('copyToGo');
  if (settings.marks === undefined) {
    const whose = ownershipOf(observed, destination, settings);
    if (whose === 'unproven') return { ...waiting('proof'), actions: [{ type: 'confirmWritten', destination }] };
    if (whose === 'foreign')
      return decideTaken(observed, carriedPart(wanted, settings.subresources), destination, settings);
  }
  const status = statusActions(observed, source, wanted, destination, shown, settings);
  const content = contentDecision(observed, carriedPart(wanted, settings.subresources), destination, settings);
  const contested = status.some(({ type }) => type === 'writeStatusBack')
    ? contestedUntil(againOf(observed.memory, destination), observed.now)
    : undefined;
  if (contested !== undefined)
    return content.verdict.kind === 'held'
      ? content
      : { ...statusContested(destination), actions: content.actions, requeueAfterMs: contested - observed.now };
  return content.verdict.kind === 'held'
    ? { ...content, actions: [...content.actions, ...status] }
    : {
        ...content,
        actions: [...content.actions, ...status],
        verdict: content.actions.length + status.length > 0 ? writing : { kind: 'inStep' },
      };
}

function contentDecision(
  observed: Observed,
  snapshot: UnstructuredObject,
  destination: UnstructuredObject,
  settings: PairSettings,
): Decision {
  const { memory, now } = observed;
  const pending = isPending(destination);
  // The pushed content went to another object.
  const last: LastState = pending ? { kind: 'none' } : observed.last;
  const marks = settings.marks === undefined ? undefined : missingMarks(destination, settings.marks);
  const repair = marks === undefined ? undefined : { metadata: marks };
  const changed =
    last.kind === 'known'
      ? merged(
          changesSince(last.snapshot, snapshot, settings.subresources),
          last.doubted === true ? lacking(destination, snapshot, settings.subresources) : undefined,
        )
      : covers(destination, snapshot, settings.subresources)
        ? undefined
        : replacement(snapshot, destination, settings.subresources);
  const store: readonly Action[] =
    changed === undefined && last.kind === 'known' ? [] : [{ type: 'storeSnapshot', snapshot }];
  if (pending && settings.adoption !== 'overwrite') {
    const agreement = agreed(destination, snapshot, settings.subresources, memory.agreement);
    if (agreement.kind === 'open') return agreement.decision;
    if (agreement.kind === 'different')
      return heldApart(
        destination,
        agreement.fields === '' ? differencesIn(changed ?? {}) : agreement.fields,
        repair,
        settings,
      );
  }
  const settled = pending ? { metadata: { annotations: { [ADOPTED]: null } } } : undefined;
  // With the next write: taking over costs none.
  const placed =
    settings.marks === undefined || changed === undefined || isMarked(destination)
      ? undefined
      : { metadata: { annotations: { [PLACE]: objectKey(destination.metadata) } } };
  const wanted = merged(merged(changed, repair), settled);
  const patch = wanted === undefined || !changes(destination, wanted) ? wanted : merged(wanted, placed);
  // If the memory is older than the cache, objects in the cache may be gone.
  const isDoubted = last.kind === 'known' && last.doubted === true;
  const actions: readonly Action[] =
    patch !== undefined && (isDoubted || changes(destination, patch))
      ? [{ type: 'patch', destination, patch, correction: changed === undefined }, ...store]
      : store;
  const contested =
    changed === undefined && actions.length > 0 ? contestedUntil(memory.corrections ?? [], now) : undefined;
  if (contested === undefined) return { actions, verdict: writing };
  const message = `Somebody keeps taking the marks of this agent off ${describe(destination)}, perhaps another agent for the same PublishedResource. It is left as it is for a while. Stop the other one.`;
  return { ...held('Contested', message, 'operator'), requeueAfterMs: contested - now };
}

/**
 * Decides about an object in the place of a related copy, without any record. Never overwrites it: anyone who fills a
 * field of the primary chooses its name.
 */
function decideTaken(
  { memory, others }: Observed,
  wanted: UnstructuredObject,
  destination: UnstructuredObject,
  { adoption, origin, subresources }: PairSettings,
): Decision {
  if ((adoption !== 'refuse' || memory.attempted === true) && agrees(destination, wanted, subresources)) {
    // Its owner is known only when every primary has been looked at.
    return others?.() === 'unknown' ? waiting('proof') : { actions: [{ type: 'take', destination }], verdict: writing };
  }
  const controller = controllerOf(destination);
  const changed = covers(destination, wanted, subresources)
    ? undefined
    : replacement(wanted, destination, subresources);
  const differs = changed === undefined ? '' : `, and differs in ${differencesIn(changed)}`;
  if (controller === undefined && isWrittenBySomeAgent(destination))
    return {
      ...heldWritten(
        destination,
        agrees(destination, wanted, subresources),
        changed === undefined ? '' : ` It differs in ${differencesIn(changed)}.`,
        adoption,
        origin,
      ),
      requeueAfterMs: RECHECK_MS,
    };
  const why =
    controller === undefined
      ? `was not made by this agent${differs}`
      : `and ${controller.kind} "${controller.name}" controls it`;
  const remedy =
    controller === undefined && adoption === 'refuse'
      ? 'Remove it or, if it says the same, annotate the PublishedResource with'
      : 'Remove it, or have the rules of the PublishedResource give the copy another name.';
  const how =
    controller === undefined && adoption === 'refuse' ? `${remedy} "${hawserAnnotations.adoption}: adopt".` : remedy;
  return {
    ...held(
      'Occupied',
      `${origin === 'kcp' ? 'On the service cluster' : 'In the workspace'}, ${describe(destination)} stands where the copy belongs, ${why}: it is left alone. ${how}`,
      'provider',
    ),
    requeueAfterMs: RECHECK_MS,
  };
}

/**
 * An object written by an agent may be ours, and forgotten, as after a restore of the state Secrets to an earlier time.
 * It may as well be another agent's copy: nothing on it tells.
 */
function heldWritten(
  destination: UnstructuredObject,
  same: boolean,
  differs: string,
  adoption: PairSettings['adoption'],
  origin: PairSettings['origin'],
): Decision {
  const what = `${origin === 'kcp' ? 'On the service cluster' : 'In the workspace'}, ${describe(destination)} stands where the copy belongs. An agent wrote it, but no state Secret names it: state Secrets may have been restored to an earlier time.${differs} It is left alone.`;
  const how =
    same && adoption === 'refuse'
      ? `It says the same. If no other agent serves it, annotate the PublishedResource with "${hawserAnnotations.adoption}: adopt" until it is taken over, and take the annotation off again.`
      : 'If no other agent serves it, delete it, and it is made anew from its original.';
  return held('Occupied', `${what} ${how}`, 'provider');
}

/** An object that is not ours by its history, and differs from what we would write. */
function heldApart(
  destination: UnstructuredObject,
  fields: string,
  repair: JsonObject | undefined,
  settings: PairSettings,
): Decision {
  const where = `${describe(destination)} was adopted and differs from this object in ${fields}`;
  const how = `Its content is left alone. Make both agree, remove it, or annotate the PublishedResource with "${hawserAnnotations.adoption}: overwrite".`;
  const apart = held('AdoptedDiffers', `${where}. ${how}`, 'provider');
  return repair === undefined || settings.marks === undefined
    ? apart
    : { ...apart, actions: [{ type: 'patch', destination, patch: repair, correction: true }] };
}

/** When the status of this very copy was repeatedly written. */
function againOf({ statusWritten }: PairMemory, destination: UnstructuredObject): readonly number[] {
  return statusWritten?.of === versionOf(destination) ? statusWritten.again : [];
}

function statusContested(destination: UnstructuredObject): Decision {
  const message = `Somebody else keeps writing the status of this object, perhaps an agent that serves the same APIExport from another service cluster. What ${describe(destination)} says is not passed on for a while. Stop the other one, or give it an APIExport of its own.`;
  return held('StatusContested', message, 'operator');
}

function contestedUntil(corrections: readonly number[], now: number): number | undefined {
  const latest = corrections.at(-1);
  const fifth = corrections.at(-CONTESTED_AFTER);
  if (latest === undefined || fifth === undefined || latest - fifth > CONTEST_WINDOW_MS) return undefined;
  const until = latest + CONTEST_PAUSE_MS;
  return until > now ? until : undefined;
}

function statusActions(
  { memory }: Observed,
  source: UnstructuredObject,
  wanted: UnstructuredObject,
  destination: UnstructuredObject,
  shown: UnstructuredObject,
  settings: PairSettings,
): readonly Action[] {
  switch (settings.status) {
    case 'none':
      return [];
    case 'back': {
      const status = shown['status'] as JsonValue | undefined;
      return equal(status, source['status']) || memory.statusRefused === versionOf(destination)
        ? []
        : [{ type: 'writeStatusBack', source, destination, status }];
    }
    case 'forward': {
      const status = wanted['status'] as JsonValue | undefined;
      return equal(status, destination['status']) || memory.statusRefused === versionOf(source)
        ? []
        : [{ type: 'writeStatusForward', destination, status, from: source }];
    }
  }
}
