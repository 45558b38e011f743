import type { UnstructuredObject } from '@hawser/client';
import { equal } from '@hawser/json';

import type { Path } from './difference.js';
import { type Wanted, valueAt } from './wanted.js';

/** Whether what the copy must have may differ between two versions of a consumer object. Cheap, and never wrongly false. */
export function contentMayDiffer(before: UnstructuredObject, after: UnstructuredObject): boolean {
  const [old, now] = [before.metadata, after.metadata];
  return (
    old.generation !== now.generation ||
    old.generation === undefined ||
    !equal(old.labels, now.labels) ||
    !equal(old.annotations, now.annotations)
  );
}

/**
 * Of the copy's `extras`, those that the consumer asked for when the copy was written last and asks for no more; all others came from the provider.
 * Undefined if it is not known what the copy was written from, as after a restart: then the copy's managedFields have to tell.
 */
export function removedByConsumer(
  extras: readonly Path[],
  wanted: Wanted,
  before: Wanted | undefined,
): readonly Path[] | undefined {
  return before === undefined
    ? undefined
    : extras.filter((path) => {
        const was = valueAt(before, path);
        // A list whose elements hold more than was asked for: the provider's doing, unless the consumer changed the list.
        return was !== undefined && !equal(was, valueAt(wanted, path));
      });
}
