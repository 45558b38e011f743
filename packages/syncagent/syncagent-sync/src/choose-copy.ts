import { controllerOf, objectKey, type UnstructuredObject } from '@hawser/client';

import { PLACE } from './marks.js';
import type { Standing } from './observed.js';

/** The copy among the objects with the marks of one source. */
export type ChosenCopy =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly copy: UnstructuredObject; readonly standing: Standing }
  | { readonly kind: 'several'; readonly copies: readonly UnstructuredObject[] };

/**
 * Whether an object has the mark of a copy in this very place. Clones by people and children of operators name another
 * place.
 */
export function isMarked({ metadata }: UnstructuredObject): boolean {
  return metadata.annotations?.[PLACE] === objectKey(metadata);
}

/** Whether it has the mark of a copy in another place. */
export function isInherited({ metadata }: UnstructuredObject): boolean {
  const markedKey = metadata.annotations?.[PLACE];
  return markedKey !== undefined && markedKey !== objectKey(metadata);
}

/** Whether it may be a copy, without any further evidence. */
export function mayBeCopy(object: UnstructuredObject): boolean {
  return !isInherited(object) && (controllerOf(object) === undefined || isMarked(object));
}

/** Classifies an object that was read live in the place of the copy. */
export function standingOf(copy: UnstructuredObject): Standing {
  return controllerOf(copy) !== undefined ? 'controlled' : isMarked(copy) ? 'marked' : 'inPlace';
}

/** `expectedKeyOf`: key of the copy by the rules, as `namespace/name`; called only if marks do not decide. Pure. */
export function chooseCopy(found: readonly UnstructuredObject[], expectedKeyOf: () => string | undefined): ChosenCopy {
  const able = found.filter((copy) => !isInherited(copy));
  const free = able.filter((copy) => controllerOf(copy) === undefined);
  const marked = free.filter(isMarked);
  const [first] = marked;
  if (first !== undefined)
    return marked.length > 1 ? { kind: 'several', copies: marked } : { kind: 'one', copy: first, standing: 'marked' };
  if (able.length === 0) return { kind: 'none' };
  const expectedKey = expectedKeyOf();
  const own = able.find(({ metadata }) => objectKey(metadata) === expectedKey) ?? able.find(isMarked);
  if (own !== undefined)
    return { kind: 'one', copy: own, standing: controllerOf(own) === undefined ? 'inPlace' : 'controlled' };
  const [only] = free;
  if (only === undefined) return { kind: 'none' };
  return free.length > 1 ? { kind: 'several', copies: free } : { kind: 'one', copy: only, standing: 'elsewhere' };
}
