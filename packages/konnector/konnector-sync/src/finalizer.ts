import type { UnstructuredObject } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import type { PairDialect, PairMarks } from '@hawser/kube-bind';

import type { Action } from './decision.js';

export function hasFinalizer(consumer: UnstructuredObject, { finalizer }: PairDialect): boolean {
  return consumer.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Also for a copy that is in step: without the finalizer a deletion on the consumer would leave the copy behind. */
export function finalizerActions(consumer: UnstructuredObject, dialect: PairDialect): readonly Action[] {
  return hasFinalizer(consumer, dialect) ? [] : [{ type: 'addFinalizer', consumer }];
}

/** What an object gets along with the finalizer, for a patch of its metadata. */
export function marksGiven({ ofObject, withFinalizer = {} }: PairMarks): JsonObject {
  const annotations = { ...ofObject, ...withFinalizer };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** What an object loses along with the finalizer. */
export function marksTaken({ metadata }: UnstructuredObject, { withFinalizer = {} }: PairMarks): JsonObject {
  const taken = Object.keys(withFinalizer).filter((key) => Object.hasOwn(metadata.annotations ?? {}, key));
  return taken.length === 0 ? {} : { annotations: Object.fromEntries(taken.map((key) => [key, null])) };
}
