import type { Client } from '@hawser/client';
import { type APIServiceBinding, type Namespace, resources } from '@hawser/kube-bind';
import { type Identities, type IdentityMismatch, pinnedIn } from '@hawser/konnector-main';

import { read } from './live.js';

/** Which clusters these are, by uid; undefined where that may not be read. */
export async function readIdentities(consumer: Client, provider: Client, clusterNamespace: string, signal: AbortSignal): Promise<Identities> {
  const uidOf = async (client: Client, name: string): Promise<string | undefined> => {
    const namespace = await read<Namespace>(client, resources.namespaces, { name }, { representation: 'metadata', signal });
    return namespace.kind === 'found' ? namespace.object.metadata.uid : undefined;
  };
  return { provider: await uidOf(provider, clusterNamespace), consumer: (await uidOf(consumer, 'kube-system')) ?? (await uidOf(consumer, 'default')) };
}

/** A binding that is bound to another cluster: nothing is synced for it. What is not known is no mismatch. */
export function mismatchOf(binding: APIServiceBinding, found: Identities, clusterNamespace: string): IdentityMismatch | undefined {
  const pinned = pinnedIn(binding);
  const object = `APIServiceBinding ${binding.metadata.name}`;
  if (pinned.consumer !== undefined && found.consumer !== undefined && pinned.consumer !== found.consumer) return { side: 'consumer', object, expected: pinned.consumer, found: found.consumer };
  if (pinned.provider !== undefined && found.provider !== undefined && pinned.provider !== found.provider) return { side: 'provider', object, expected: pinned.provider, found: found.provider, clusterNamespace };
  return undefined;
}
