import type { UnstructuredObject } from '@hawser/client';

import { CLEANUP_FINALIZER } from './marks.js';

export function hasFinalizer({ metadata }: UnstructuredObject): boolean {
  return metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
}
