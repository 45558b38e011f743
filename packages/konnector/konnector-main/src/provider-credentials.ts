import { type Client, isForbidden, isNotFound } from '@hawser/client';
import { readProviderIdentity } from '@hawser/konnector-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** What a client of a provider goes out with, and how it comes to go out with something else. For a {@link ControllerSet}. */
export interface ProviderCredentials {
  /** As of now: give it to the client, which asks before each request. */
  readonly connection: () => ConnectionConfig;
  /** Which provider `client` reaches: the uid of the cluster namespace; undefined if that is not to be known. The first one is what later credentials have to lead to. */
  identity(client: Client, signal: AbortSignal): Promise<string | undefined>;
  /** Goes on with `next` once it has shown to lead to the same provider. @throws if it does not, or that cannot be known; then nothing has changed */
  rotate(next: ConnectionConfig, signal: AbortSignal): Promise<void>;
}

export interface ProviderCredentialsOptions {
  readonly first: ConnectionConfig;
  readonly clusterNamespace: string;
  /** A client for a try; it is closed afterwards. */
  readonly connect: (config: ConnectionConfig) => Client;
}

export function createProviderCredentials({
  first,
  clusterNamespace,
  connect,
}: ProviderCredentialsOptions): ProviderCredentials {
  let current = first;
  let identity: string | undefined;
  return {
    connection: () => current,
    async identity(client, signal) {
      try {
        const found = await readProviderIdentity(client, clusterNamespace, signal);
        identity ??= found;
        return found;
      } catch (error) {
        // Not to be known: the provider does not tell, or the namespace has gone, which is for others to say.
        if (isForbidden(error) || isNotFound(error)) return undefined;
        throw error;
      }
    },
    async rotate(next, signal) {
      const candidate = connect(next);
      try {
        const found = await readProviderIdentity(candidate, clusterNamespace, signal);
        if (identity === undefined || found !== identity) throw new OtherProviderError(clusterNamespace);
      } finally {
        await candidate.close();
      }
      current = next;
    },
  };
}

/** A credential does not lead to the provider that the connection is with, as far as is known. */
export class OtherProviderError extends Error {
  override readonly name = 'OtherProviderError';
  readonly code = 'OtherProvider';

  constructor(clusterNamespace: string) {
    super(`The cluster namespace ${clusterNamespace} that it leads to is not known to be the same.`);
  }
}
