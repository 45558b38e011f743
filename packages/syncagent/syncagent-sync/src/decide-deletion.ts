import { controllerOf, objectKey, type UnstructuredObject } from '@hawser/client';

import { hasFinalizer } from './finalizer.js';
import type { Action, Decision } from './decision.js';
import { describe } from './keys.js';
import { PLACE, RELEASE } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { heldByOther, isOfAnotherAgent } from './other-agent.js';
import { isPending, mayDelete } from './ownership.js';
import { held, waiting } from './verdicts.js';

/**
 * Decides if the source is being deleted, or the copy must go without it. The order of the checks is the safety
 * promise: what a deletion in kcp may cause on the service cluster.
 */
export function decideDeletion(
  observed: Observed,
  source: UnstructuredObject,
  settings: PairSettings,
  other: string | undefined,
): Decision {
  if (!settings.finalizer) return { actions: [], verdict: { kind: 'inStep' } };
  const reason = source.metadata.annotations?.[RELEASE];
  if (reason !== undefined && reason !== '') return letGo(observed, source, settings);
  const { destination, memory } = observed;
  if (destination !== undefined && destination.metadata.uid !== memory.gone) {
    if (other !== undefined) return heldByOther(observed, source, destination, other, settings);
    // An ended publication that keeps copies does not wait for a provider to clean up.
    if (observed.standing === 'controlled')
      return settings.letGo === true ? letGo(observed, source, settings) : heldControlled(destination);
    switch (mayDelete(observed, destination, settings)) {
      case 'ours':
        return settings.forcedDeletion ? toGo(destination) : toGoWithSource(observed, destination);
      case 'unproven':
        return confirming(destination);
      case 'foreign':
        if (observed.standing === 'inPlace' && !isPending(destination) && settings.letGo !== true)
          return heldUnproven(destination);
        // In another place it is not a copy; a live search shows whether there is another one.
        return observed.standing === 'elsewhere' && !isPending(destination) && memory.gone === undefined
          ? proving(observed)
          : letGo(observed, source, settings);
    }
  }
  // Without our finalizer, and without a record, there never was a copy.
  const never = !hasFinalizer(source) && !observed.remembered;
  return memory.gone === undefined && !never ? proving(observed) : letGo(observed, source, settings);
}

/** Decides if there is no source. Its deletion is known only if it was observed. */
export function decideVanished(observed: Observed, settings: PairSettings): Decision {
  const { destination, memory, remembered } = observed;
  const forget: readonly Action[] = remembered ? [{ type: 'forget' }] : [];
  const mayGo = memory.deletionSeen === true || (settings.origin === 'service' && settings.forcedDeletion);
  // Another agent's copy: it may have the object at another place, and we judge neither its end nor its existence.
  const foreign = destination !== undefined && isOfAnotherAgent(destination, settings.marks?.agentName);
  if (destination === undefined || foreign || destination.metadata.uid === memory.gone)
    return { actions: mayGo ? forget : [], verdict: { kind: 'absent' } };
  const ownership = mayDelete(observed, destination, settings);
  if (mayGo && ownership !== 'foreign') {
    if (ownership === 'unproven') return confirming(destination);
    return settings.forcedDeletion ? toGo(destination) : toGoWithSource(observed, destination);
  }
  // A foreign object in the place of a related copy does not concern us.
  if (mayGo && settings.marks === undefined) return { actions: forget, verdict: { kind: 'absent' } };
  return {
    actions: [],
    verdict: {
      kind: 'orphan',
      message: `The copy ${describe(destination)} has no object in kcp: its workspace was deleted or unbound, or the object went without its finalizer. It is kept. Delete it if it is not needed.`,
    },
  };
}

/** Only a live answer proves that no copy is left. */
export function proving({ memory }: Observed): Decision {
  return { ...waiting('proof'), actions: [{ type: 'confirmGone', key: memory.copyKey }] };
}

/** Reports a copy by marks and place that another controller has taken over. */
export function heldControlled(destination: UnstructuredObject): Decision {
  const { kind = '', name = '' } = controllerOf(destination) ?? {};
  return held(
    'CopyControlled',
    `On the service cluster, ${describe(destination)} bears the marks of this object's copy, but ${kind} "${name}" controls it: it is neither written nor deleted. Remove that owner reference, or the object.`,
    'provider',
  );
}

function heldUnproven(destination: UnstructuredObject): Decision {
  const key = objectKey(destination.metadata);
  return held(
    'CopyUnproven',
    `On the service cluster, ${describe(destination)} bears the marks of this object's copy, but nothing shows that an agent wrote it: it is not deleted. Delete it, or annotate it with "${PLACE}: ${key}" if it is the copy.`,
    'provider',
  );
}

/** Only the object itself proves that we may delete it. */
function confirming(destination: UnstructuredObject): Decision {
  return { ...waiting('proof'), actions: [{ type: 'confirmWritten', destination }] };
}

/** Releases the source: nothing of ours is left on the other side. */
export function letGo(
  { remembered, isNeededByOthers }: Observed,
  source: UnstructuredObject,
  { origin }: PairSettings,
): Decision {
  const holds = origin === 'kcp' && hasFinalizer(source);
  const shared = holds && isNeededByOthers?.() === true;
  const release: readonly Action[] = holds && !shared ? [{ type: 'releaseFinalizer', source }] : [];
  const forget: readonly Action[] = remembered ? [{ type: 'forget' }] : [];
  const actions = [...forget, ...release];
  return { actions, verdict: actions.length === 0 ? { kind: 'absent' } : { kind: 'progressing', waitingFor: 'write' } };
}

/** The cache may be stale, and the copy may belong to a later object of that name, made by another process. */
function toGoWithSource({ memory }: Observed, destination: UnstructuredObject): Decision {
  return destination.metadata.deletionTimestamp === undefined && memory.deletionStands !== destination.metadata.uid
    ? { ...waiting('proof'), actions: [{ type: 'confirmDeletion', destination }] }
    : toGo(destination);
}

function toGo(destination: UnstructuredObject): Decision {
  return destination.metadata.deletionTimestamp === undefined
    ? { ...waiting('copyToGo'), actions: [{ type: 'delete', destination }] }
    : waiting('copyToGo');
}
