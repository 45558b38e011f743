import type { UnstructuredObject } from '@hawser/client';
import type { PairDialect } from '@hawser/kube-bind';

import type { Action } from './decision.js';

export function hasFinalizer(consumer: UnstructuredObject, { finalizer }: PairDialect): boolean {
  return consumer.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Also for a copy that is in step: without the finalizer a deletion on the consumer would leave the copy behind. */
export function finalizerActions(consumer: UnstructuredObject, dialect: PairDialect): readonly Action[] {
  return hasFinalizer(consumer, dialect) ? [] : [{ type: 'addFinalizer', consumer }];
}
