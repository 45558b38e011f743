import type { KubeObject } from '@hawser/client';

import { PUBLISHED_BY } from './marks.js';
import type { SyncOptions } from './sync-options.js';

/**
 * Whether a copy belongs to an object of another PublishedResource that publishes the same kind. Without that mark its
 * owner is unknown.
 */
export function ofOtherPublication({
  publishedResource: { name },
  publishesSameKind: publishesSameKind = () => false,
}: Pick<SyncOptions, 'publishedResource' | 'publishesSameKind'>): (copy: KubeObject) => boolean {
  return ({ metadata: { annotations } }) => {
    const owner = annotations?.[PUBLISHED_BY];
    return owner !== undefined && owner !== name && publishesSameKind(owner);
  };
}
