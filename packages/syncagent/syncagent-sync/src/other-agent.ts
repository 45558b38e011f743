import type { UnstructuredObject } from '@hawser/client';

import type { Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { describe } from './keys.js';
import { AGENT_NAME } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { held } from './verdicts.js';

/** Whether a copy bears the name of an agent other than this one; `undefined`: of none. */
export function isOfAnotherAgent({ metadata: { labels } }: UnstructuredObject, agentName: string | undefined): boolean {
  const name = labels?.[AGENT_NAME];
  return agentName !== undefined && name !== undefined && name !== agentName;
}

/** The name of another agent that the copy belongs to, whatever the object says: a user has written that. */
export function otherAgent(destination: UnstructuredObject | undefined, { marks }: PairSettings): string | undefined {
  const name = destination?.metadata.labels?.[AGENT_NAME];
  return marks === undefined || name === undefined || name === marks.agentName ? undefined : name;
}

/**
 * A finalizer of ours that the object got for a copy which the other agent was faster to make is taken off again: it would keep the object for ever. One that another agent has set is not: this agent may
 * have been renamed, and the copy with it. After a restart it is read who has set it.
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
  { memory, remembered, neededElsewhere }: Observed,
  source: UnstructuredObject,
  holder: string | undefined,
): Decision['actions'] {
  const { uid } = source.metadata;
  if (!hasFinalizer(source) || remembered || uid === undefined || neededElsewhere?.() === true) return [];
  if (memory.finalizerAdded === uid) return [{ type: 'releaseFinalizer', source }];
  return holder === undefined || memory.finalizerOthers === uid ? [] : [{ type: 'confirmHolder', source }];
}
