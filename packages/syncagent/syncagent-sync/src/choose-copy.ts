import { objectKey, type UnstructuredObject } from '@hawser/client';

import { controllerOf } from './controller-of.js';
import { PLACE } from './marks.js';
import type { Standing } from './observed.js';

/** Which of the objects that bear the marks of one source is its copy. */
export type ChosenCopy =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly copy: UnstructuredObject; readonly standing: Standing }
  | { readonly kind: 'several'; readonly copies: readonly UnstructuredObject[] };

/** Whether an object bears the mark of a copy in this very place. What people clone, and operators hand down to children, names another one. */
export function isMarked({ metadata }: UnstructuredObject): boolean {
  return metadata.annotations?.[PLACE] === objectKey(metadata);
}

/** Whether it bears the mark of a copy in another place. */
export function isInherited({ metadata }: UnstructuredObject): boolean {
  const place = metadata.annotations?.[PLACE];
  return place !== undefined && place !== objectKey(metadata);
}

/** Whether it may be a copy at all, where there is nothing else to tell by. */
export function mayBeCopy(object: UnstructuredObject): boolean {
  return !isInherited(object) && (controllerOf(object) === undefined || isMarked(object));
}

/** How an object that was read live in the place of the copy is known. */
export function standingOf(copy: UnstructuredObject): Standing {
  return controllerOf(copy) !== undefined ? 'controlled' : isMarked(copy) ? 'marked' : 'inPlace';
}

/** `placeOf`: where the rules put the copy of the source, as `namespace/name`; asked only where marks do not tell. Pure. */
export function chooseCopy(found: readonly UnstructuredObject[], placeOf: () => string | undefined): ChosenCopy {
  const able = found.filter((copy) => !isInherited(copy));
  const free = able.filter((copy) => controllerOf(copy) === undefined);
  const marked = free.filter(isMarked);
  const [first] = marked;
  if (first !== undefined)
    return marked.length > 1 ? { kind: 'several', copies: marked } : { kind: 'one', copy: first, standing: 'marked' };
  if (able.length === 0) return { kind: 'none' };
  const place = placeOf();
  const own = able.find(({ metadata }) => objectKey(metadata) === place) ?? able.find(isMarked);
  if (own !== undefined)
    return { kind: 'one', copy: own, standing: controllerOf(own) === undefined ? 'inPlace' : 'controlled' };
  const [only] = free;
  if (only === undefined) return { kind: 'none' };
  return free.length > 1 ? { kind: 'several', copies: free } : { kind: 'one', copy: only, standing: 'elsewhere' };
}
