import type { UnstructuredObject } from '@hawser/client';
import { equal } from '@hawser/json';

import type { Path } from './difference.js';
import { type Wanted, valueAt } from './wanted.js';

/**
 * Whether the wanted content of the copy may differ between two versions of a consumer object. Cheap, and never wrongly
 * false.
 */
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
 * Selects the copy's `extras` that the consumer wanted at the last write and no longer wants; the provider added all
 * others. Undefined: the content of the last write is unknown, as after a restart; then the copy's managedFields
 * decide.
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
        // A list whose elements hold more than was wanted: the provider added it, unless the consumer changed the list.
        return was !== undefined && !equal(was, valueAt(wanted, path));
      });
}
