import type { UnstructuredObject } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import { carriedPart, hawserAnnotations } from '@hawser/syncagent-api';

import type { Decision } from './decision.js';
import { describe } from './keys.js';
import { ADOPTED, AGENT_NAME, PUBLISHED_BY, isIdentity } from './marks.js';
import type { Marks, Observed, PairSettings } from './observed.js';
import { agentLabel, content, covers } from './three-way.js';
import { held, waiting, writing } from './verdicts.js';
import { messageOf } from './message-of.js';

/** There is no copy yet, or none that bears our marks. */
export function decideCreation(observed: Observed, source: UnstructuredObject, settings: PairSettings): Decision {
  let wanted = source;
  if (settings.mutations !== undefined) {
    const guess = observed.placement(source);
    const preview: UnstructuredObject = { ...source, ...settings.destination, metadata: { ...source.metadata, ...(guess.kind === 'placed' ? guess.key : {}) } };
    try {
      wanted = settings.mutations.spec(source, preview);
    } catch (error) {
      return held('MutationFailed', `The mutation rules of the PublishedResource cannot be applied to this object: ${messageOf(error)}`, 'provider');
    }
  }
  const placement = observed.placement(wanted);
  if (placement.kind === 'impossible') return held('NamingFailed', placement.message, 'provider');
  const { occupant } = observed.memory;
  const snapshot = carriedPart(wanted, settings.subresources);
  if (occupant !== undefined) return recheckedIfHeld(decideOccupied(occupant, snapshot, settings));

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
      ...some('annotations', { ...annotations, ...marks.annotations, ...publishedBy(marks) }),
    },
  } as unknown as UnstructuredObject;
  return { actions: [{ type: 'create', object }, { type: 'storeSnapshot', snapshot }], verdict: writing };
}

/** Nothing tells when an object without our marks goes. */
const RECHECK_MS = 60_000;

function recheckedIfHeld(decision: Decision): Decision {
  return decision.verdict.kind === 'held' ? { ...decision, requeueAfterMs: RECHECK_MS } : decision;
}

function decideOccupied(occupant: UnstructuredObject, snapshot: UnstructuredObject, settings: PairSettings): Decision {
  const { marks } = settings;
  const labels = occupant.metadata.labels ?? {};
  const there = `On the ${settings.origin === 'kcp' ? 'service cluster' : 'workspace\'s side'}, ${describe(occupant)} stands where the copy of this object belongs`;
  if (Object.keys(labels).some(isIdentity) && globalThis.hawserPlanted?.has('RE-6') !== true) {
    return held('NameTaken', `${there}, and is the copy of another object: it is left alone. Have the naming rules of the PublishedResource tell these objects apart, or rename this one.`, 'provider');
  }
  const agent = labels[AGENT_NAME];
  if (agent !== undefined && agent !== marks?.agentName) {
    return held('OtherAgent', `${there}, and belongs to the agent "${agent}": it is left alone.`, 'operator');
  }
  if (settings.adoption === 'refuse') {
    return held('Occupied', `${there}, and nobody says whose it is: it is left alone. Remove it, or annotate the PublishedResource with "${hawserAnnotations.adoption}: adopt" (keeps its content until both agree) or "${hawserAnnotations.adoption}: overwrite".`, 'provider');
  }
  if (occupant.metadata.deletionTimestamp !== undefined) return { ...waiting('copyToGo'), requeueAfterMs: RECHECK_MS };
  if (marks === undefined) return globalThis.hawserPlanted?.has('adoption-marks-related') === true ? { actions: [{ type: 'adopt', destination: occupant, marks: { labels: {}, annotations: {} } }], verdict: writing } : waiting('cache');
  if (globalThis.hawserPlanted?.has('adoption-remembered-as-written') === true) return { actions: [{ type: 'adopt', destination: occupant, marks }, { type: 'storeSnapshot', snapshot }], verdict: writing };
  const pending = !covers(occupant, snapshot, settings.subresources) && settings.adoption === 'adopt';
  const added = {
    labels: { ...marks.labels, ...agentLabel(marks.agentName) },
    annotations: { ...marks.annotations, ...publishedBy(marks), ...(pending ? { [ADOPTED]: 'pending' } : {}) },
  };
  return { actions: [{ type: 'adopt', destination: occupant, marks: added }], verdict: writing };
}

function publishedBy({ publishedBy: name }: Marks): Readonly<Record<string, string>> {
  return name === undefined ? {} : { [PUBLISHED_BY]: name };
}

function some(key: 'labels' | 'annotations', map: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.keys(map).length === 0 ? {} : { [key]: map };
}
