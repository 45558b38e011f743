import { controllerOf, objectKey, type UnstructuredObject, messageOf, sentence } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import { carriedPart, hawserAnnotations } from '@hawser/syncagent-api';

import { agreed } from './agreement.js';
import type { Decision } from './decision.js';
import { describe } from './keys.js';
import { ADOPTED, AGENT_NAME, PLACE, PUBLISHED_BY, isIdentity } from './marks.js';
import type { Marks, Observed, PairMemory, PairSettings } from './observed.js';
import { agentLabel, content, covers } from './three-way.js';
import { held, waiting, writing } from './verdicts.js';

/** Decides if there is no copy yet, or none with our marks. */
export function decideCreation(observed: Observed, source: UnstructuredObject, settings: PairSettings): Decision {
  let wanted: UnstructuredObject;
  try {
    wanted = wantedOf(source, settings, observed.placement);
  } catch (error) {
    return held(
      'MutationFailed',
      `The mutation rules of the PublishedResource cannot be applied to this object: ${sentence(messageOf(error))}`,
      'provider',
    );
  }
  const placement = observed.placement(wanted);
  if (placement.kind === 'impossible') return held('NamingFailed', placement.message, 'provider');
  const { occupant } = observed.memory;
  const snapshot = carriedPart(wanted, settings.subresources);
  if (occupant !== undefined) return recheckedIfHeld(decideOccupied(occupant, snapshot, observed.memory, settings));

  const { metadata, ...fields } = content(snapshot, []);
  const { labels, annotations, ...more } = (metadata ?? {}) as Readonly<Record<string, JsonObject>>;
  const marks: Marks = settings.marks ?? { labels: {}, annotations: {}, agentName: '' };
  const object = {
    ...fields,
    ...settings.destination,
    metadata: {
      ...more,
      ...placement.key,
      ...some('labels', { ...labels, ...marks.labels, ...agentLabel(marks.agentName) }),
      ...some('annotations', {
        ...annotations,
        ...marks.annotations,
        ...publishedBy(marks),
        ...(settings.marks === undefined ? {} : { [PLACE]: objectKey(placement.key) }),
      }),
    },
  } as unknown as UnstructuredObject;
  return {
    actions: [
      { type: 'create', object, ...(observed.memory.occupied === true ? { readFirst: true } : {}) },
      { type: 'storeSnapshot', snapshot },
    ],
    verdict: writing,
  };
}

/** The key of this object's copy by the rules, as `namespace/name`; undefined: the rules yield none. */
export function expectedKeyOf(
  source: UnstructuredObject,
  settings: PairSettings,
  placement: Observed['placement'],
): string | undefined {
  try {
    const placed = placement(wantedOf(source, settings, placement));
    return placed.kind === 'placed' ? objectKey(placed.key) : undefined;
  } catch {
    return undefined;
  }
}

/** The content of a new copy. Throws the mutation's errors. */
function wantedOf(
  source: UnstructuredObject,
  { mutations, destination }: PairSettings,
  placement: Observed['placement'],
): UnstructuredObject {
  if (mutations === undefined) return source;
  const guess = placement(source);
  const preview: UnstructuredObject = {
    ...source,
    ...destination,
    metadata: { ...source.metadata, ...(guess.kind === 'placed' ? guess.key : {}) },
  };
  return mutations.spec(source, preview);
}

/** Interval of looks: no event reports the deletion of an object without our marks. */
const RECHECK_MS = 60_000;

function recheckedIfHeld(decision: Decision): Decision {
  return decision.verdict.kind === 'held' ? { ...decision, requeueAfterMs: RECHECK_MS } : decision;
}

function decideOccupied(
  occupant: UnstructuredObject,
  snapshot: UnstructuredObject,
  memory: PairMemory,
  settings: PairSettings,
): Decision {
  const { marks } = settings;
  const labels = occupant.metadata.labels ?? {};
  const there = `On the ${settings.origin === 'kcp' ? 'service cluster' : "workspace's side"}, ${describe(occupant)} stands where the copy of this object belongs`;
  const controller = controllerOf(occupant);
  if (controller !== undefined) {
    return held(
      'Occupied',
      `${there}, and ${controller.kind} "${controller.name}" controls it: it is left alone. Remove it, or have the naming rules of the PublishedResource give the copy another name.`,
      'provider',
    );
  }
  if (Object.keys(labels).some(isIdentity)) {
    return held(
      'NameTaken',
      `${there}, and is the copy of another object: it is left alone. Have the naming rules of the PublishedResource tell these objects apart, or rename this one.`,
      'provider',
    );
  }
  const agent = labels[AGENT_NAME];
  if (agent !== undefined && agent !== marks?.agentName) {
    return held('OtherAgent', `${there}, and belongs to the agent "${agent}": it is left alone.`, 'operator');
  }
  if (settings.adoption === 'refuse') {
    return held(
      'Occupied',
      `${there}, and nothing says whose it is: it is left alone. Remove it, or annotate the PublishedResource with "${hawserAnnotations.adoption}: adopt" (keeps its content until both agree) or "${hawserAnnotations.adoption}: overwrite".`,
      'provider',
    );
  }
  if (occupant.metadata.deletionTimestamp !== undefined) return { ...waiting('copyToGo'), requeueAfterMs: RECHECK_MS };
  if (marks === undefined) return waiting('cache');
  const agreement =
    settings.adoption === 'overwrite' ? undefined : agreed(occupant, snapshot, settings.subresources, memory.agreement);
  if (agreement?.kind === 'open') return agreement.decision;
  // An object to overwrite is ours afterwards.
  const pending =
    agreement === undefined ? !covers(occupant, snapshot, settings.subresources) : agreement.kind === 'different';
  const added = {
    labels: { ...marks.labels, ...agentLabel(marks.agentName) },
    annotations: {
      ...marks.annotations,
      ...publishedBy(marks),
      [PLACE]: objectKey(occupant.metadata),
      ...(pending ? { [ADOPTED]: 'pending' } : {}),
    },
  };
  return { actions: [{ type: 'adopt', destination: occupant, marks: added }], verdict: writing };
}

function publishedBy({ publishedBy: name }: Marks): Readonly<Record<string, string>> {
  return name === undefined ? {} : { [PUBLISHED_BY]: name };
}

function some(
  key: 'labels' | 'annotations',
  map: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.keys(map).length === 0 ? {} : { [key]: map };
}
