import type { UnstructuredObject } from '@hawser/client';

import type { Action } from './decision.js';
import { SYNCER_FINALIZER } from './marks.js';

export function hasFinalizer(consumer: UnstructuredObject): boolean {
  return consumer.metadata.finalizers?.includes(SYNCER_FINALIZER) ?? false;
}

/** Also for a copy that is in step: without the finalizer a deletion on the consumer would leave the copy behind. */
export function finalizerActions(consumer: UnstructuredObject): readonly Action[] {
  return hasFinalizer(consumer) ? [] : [{ type: 'addFinalizer', consumer }];
}
