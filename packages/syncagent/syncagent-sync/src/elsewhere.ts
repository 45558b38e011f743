import type { KubeObject } from '@hawser/client';

import { PUBLISHED_BY } from './marks.js';
import type { SyncOptions } from './sync-options.js';

/** Whether a copy is that of an object of another PublishedResource, which publishes the same kind. What bears no such mark may be anybody's. */
export function elsewhere({
  publishedResource: { name },
  publishedElsewhere = () => false,
}: Pick<SyncOptions, 'publishedResource' | 'publishedElsewhere'>): (copy: KubeObject) => boolean {
  return ({ metadata: { annotations } }) => {
    const owner = annotations?.[PUBLISHED_BY];
    return owner !== undefined && owner !== name && publishedElsewhere(owner);
  };
}
