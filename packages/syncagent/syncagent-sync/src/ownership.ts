import { controllerOf, type UnstructuredObject } from '@hawser/client';

import { ADOPTED, AGENT_NAME, isIdentity } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { hasSameContent } from './three-way.js';
import { isWrittenByAgent } from './written-by.js';

/** `unproven`: the record says ours, and only a live read of the object can prove it. */
export type Ownership = 'ours' | 'unproven' | 'foreign';

/** Fields that every object of a kind has, whatever its purpose. */
const NO_CONTENT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type', 'status']);

type Known = Pick<Observed, 'remembered' | 'made' | 'last' | 'memory' | 'standing'>;

/**
 * Whether we may write a copy. A primary copy was found by its marks. An adopted one counts only once both sides have
 * agreed. One with only a Go agent's marks, in another place than the rules say, counts only if an agent wrote it. A
 * related copy has no marks: it is ours if it is the recorded object. A Go agent's record names no object; then the
 * copy must have the pushed content, or be written by an agent.
 */
export function ownershipOf(
  known: Known,
  destination: UnstructuredObject,
  { marks, creator }: PairSettings,
): Ownership {
  if (marks !== undefined)
    return isPending(destination) || known.standing === 'controlled'
      ? 'foreign'
      : known.standing === 'elsewhere'
        ? written(known, destination, creator)
        : 'ours';
  const shown = relatedOwnership(known, destination, creator);
  return shown !== 'ours' &&
    shown !== 'foreign' &&
    known.last.kind === 'known' &&
    controllerOf(destination) === undefined &&
    hasSameContent(destination, known.last.snapshot, [])
    ? 'ours'
    : shown;
}

/** Whether we may delete it: equal content alone is not enough. */
export function mayDelete(known: Known, destination: UnstructuredObject, { marks, creator }: PairSettings): Ownership {
  if (marks !== undefined)
    return isPending(destination) || known.standing === 'controlled'
      ? 'foreign'
      : known.standing === 'elsewhere' || known.standing === 'inPlace'
        ? written(known, destination, creator)
        : 'ours';
  return relatedOwnership(known, destination, creator);
}

export function isOurs(known: Known, destination: UnstructuredObject, settings: PairSettings): boolean {
  return ownershipOf(known, destination, settings) === 'ours';
}

/** Adopted, and unchanged until both sides agree. */
export function isPending(destination: UnstructuredObject): boolean {
  return destination.metadata.annotations?.[ADOPTED] === 'pending';
}

/**
 * Whether an object in the place of a related copy may be adopted as it. It must have exactly the same content, and
 * more than none; no controller, agent or other object may own it.
 */
export function agrees(
  occupant: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): boolean {
  if (
    controllerOf(occupant) !== undefined ||
    Object.keys(occupant.metadata.labels ?? {}).some((key) => key === AGENT_NAME || isIdentity(key))
  )
    return false;
  return hasContent(wanted) && hasSameContent(occupant, wanted, subresources);
}

function relatedOwnership(
  { remembered, made, memory }: Known,
  destination: UnstructuredObject,
  creator: string | undefined,
): Ownership {
  const { uid } = destination.metadata;
  if (made !== undefined) return made === uid ? 'ours' : 'foreign';
  if (!remembered || controllerOf(destination) !== undefined) return 'foreign';
  return written({ memory }, destination, creator);
}

/** Whether the object itself shows that an agent wrote it. */
function written(
  { memory }: Pick<Known, 'memory'>,
  destination: UnstructuredObject,
  creator: string | undefined,
): Ownership {
  const { uid, managedFields } = destination.metadata;
  const byAgent =
    managedFields !== undefined
      ? isWrittenByAgent(destination, creator)
      : memory.written?.uid === uid
        ? memory.written?.byAgent
        : undefined;
  return byAgent === undefined ? 'unproven' : byAgent ? 'ours' : 'foreign';
}

function hasContent(object: UnstructuredObject): boolean {
  return Object.entries(object).some(
    ([key, value]) =>
      !NO_CONTENT.has(key) && (typeof value !== 'object' || (value !== null && Object.keys(value).length > 0)),
  );
}
