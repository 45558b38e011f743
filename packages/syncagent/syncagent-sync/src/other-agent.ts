import type { UnstructuredObject } from '@hawser/client';

import type { Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { describe } from './keys.js';
import { AGENT_NAME } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { held } from './verdicts.js';

/** Whether a copy names an agent other than this one; `undefined`: it names none. */
export function isOfAnotherAgent({ metadata: { labels } }: UnstructuredObject, agentName: string | undefined): boolean {
  const name = labels?.[AGENT_NAME];
  return agentName !== undefined && name !== undefined && name !== agentName;
}

/** The name of another agent that owns the copy. The text may be anything: a user may have written it. */
export function otherAgent(destination: UnstructuredObject | undefined, { marks }: PairSettings): string | undefined {
  const name = destination?.metadata.labels?.[AGENT_NAME];
  return marks === undefined || name === undefined || name === marks.agentName ? undefined : name;
}

/**
 * Decides about an object whose copy belongs to another agent. Removes our finalizer if the other agent created the
 * copy first: it would hold the object for ever. Keeps one set by another agent: this agent may have been renamed, and
 * the copy with it. After a restart, reads live who set it.
 */
export function heldByOther(
  observed: Observed,
  source: UnstructuredObject,
  destination: UnstructuredObject,
  other: string,
  { holder }: PairSettings,
): Decision {
  const { verdict } = held(
    'OtherAgent',
    `On the service cluster, ${describe(destination)} is the copy of this object, but belongs to the agent "${other}": it is left alone. Stop one of the two agents, or, if that one was renamed, set its label ${AGENT_NAME} to this agent's name.`,
    'operator',
  );
  return { actions: idleFinalizer(observed, source, holder), verdict };
}

function idleFinalizer(
  { memory, remembered, isNeededByOthers }: Observed,
  source: UnstructuredObject,
  holder: string | undefined,
): Decision['actions'] {
  const { uid } = source.metadata;
  if (!hasFinalizer(source) || remembered || uid === undefined || isNeededByOthers?.() === true) return [];
  if (memory.finalizerAdded === uid) return [{ type: 'releaseFinalizer', source }];
  return holder === undefined || memory.finalizerOthers === uid ? [] : [{ type: 'confirmHolder', source }];
}
