import { type Client, isApiError } from '@hawser/client';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';
import { type Identities, type IdentityMismatch, pinnedIn } from '@hawser/konnector-main';

/** Reads the uids of both clusters; undefined if unreadable. */
export async function readIdentities(
  consumer: Client,
  provider: Client,
  clusterNamespace: string,
  signal: AbortSignal,
): Promise<Identities> {
  return {
    provider: await unlessRefused(readProviderIdentity(provider, clusterNamespace, signal)),
    consumer: await unlessRefused(readConsumerIdentity(consumer, signal)),
  };
}

async function unlessRefused(reading: Promise<string>): Promise<string | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return undefined;
    throw error;
  }
}

/** A binding that is bound to another cluster: no object is synced for it. An unknown uid is no mismatch. */
export function mismatchOf(
  binding: APIServiceBinding,
  found: Identities,
  clusterNamespace: string,
): IdentityMismatch | undefined {
  const pinned = pinnedIn(binding);
  const object = `APIServiceBinding ${binding.metadata.name}`;
  if (pinned.consumer !== undefined && found.consumer !== undefined && pinned.consumer !== found.consumer)
    return { side: 'consumer', object, expected: pinned.consumer, found: found.consumer };
  if (pinned.provider !== undefined && found.provider !== undefined && pinned.provider !== found.provider)
    return { side: 'provider', object, expected: pinned.provider, found: found.provider, clusterNamespace };
  return undefined;
}
