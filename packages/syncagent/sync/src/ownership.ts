import type { UnstructuredObject } from '@hawser/client';

import { ADOPTED } from './marks.js';
import type { Observed, PairSettings } from './observed.js';

/**
 * Whether a copy is ours to write and to delete. A primary copy was found by its marks; one that was adopted counts only once both sides have agreed.
 * A related one bears no marks: what is remembered of it tells.
 */
export function isOurs({ remembered }: Pick<Observed, 'remembered'>, destination: UnstructuredObject, { marks }: PairSettings): boolean {
  return marks === undefined ? remembered : !isPending(destination);
}

/** Adopted, and left alone until both sides agree. */
export function isPending(destination: UnstructuredObject): boolean {
  return destination.metadata.annotations?.[ADOPTED] === 'pending';
}
