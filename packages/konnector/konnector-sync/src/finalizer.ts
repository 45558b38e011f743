import type { UnstructuredObject } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import type { PairDialect, PairMarks } from '@hawser/kube-bind';

import type { Action } from './decision.js';
import type { Observed } from './observed.js';
import { noteBeforeFinalizer } from './routing.js';

export function hasFinalizer(consumer: UnstructuredObject, { finalizer }: PairDialect): boolean {
  return consumer.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds the finalizer, also for a copy in step: without it a deletion on the consumer would leave the copy behind. */
export function finalizerActions(
  observed: Observed,
  consumer: UnstructuredObject,
  dialect: PairDialect,
): readonly Action[] {
  return hasFinalizer(consumer, dialect) ? [] : [noteBeforeFinalizer(observed) ?? { type: 'addFinalizer', consumer }];
}

/** The marks set with the finalizer, as a metadata patch. */
export function marksGiven({ ofObject, withFinalizer = {} }: PairMarks): JsonObject {
  const annotations = { ...ofObject, ...withFinalizer };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** The marks removed with the finalizer, as a metadata patch. */
export function marksTaken({ metadata }: UnstructuredObject, { withFinalizer = {} }: PairMarks): JsonObject {
  const taken = Object.keys(withFinalizer).filter((key) => Object.hasOwn(metadata.annotations ?? {}, key));
  return taken.length === 0 ? {} : { annotations: Object.fromEntries(taken.map((key) => [key, null])) };
}
