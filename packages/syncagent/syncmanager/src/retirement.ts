import { type Client, getIfExists } from '@hawser/client';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import type { Sync } from '@hawser/syncagent-sync';

export type Retirement = Parameters<Sync['retire']>[0];

/** On a PublishedResource: what happens to the copies when it is deleted. `Keep` (default) or `Drain`. */
export const onDeleteAnnotation = 'hawser.dev/on-delete';

/** An unknown value deletes nothing. */
export function retirementOf({ metadata }: Pick<PublishedResource, 'metadata'>): Retirement {
  return metadata.annotations?.[onDeleteAnnotation]?.trim().toLowerCase() === 'drain' ? 'drain' : 'keep';
}

/** Whether an unwatched PublishedResource was deleted, read live. One that only lost its labels is still in use. */
export async function isDeleted(client: Client, name: string, uid: string, signal: AbortSignal): Promise<boolean> {
  const object = await getIfExists<PublishedResource>(client, resources.publishedResources, { name }, { signal });
  return object === undefined || object.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined;
}
