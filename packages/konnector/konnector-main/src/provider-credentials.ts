import { type Client, isForbidden, isNotFound } from '@hawser/client';
import { readProviderIdentity } from '@hawser/konnector-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** Current credentials of a provider's client, and their rotation. For a {@link ControllerSet}. */
export interface ProviderCredentials {
  /** Current connection: pass it to the client, which calls it before each request. */
  readonly connection: () => ConnectionConfig;
  /**
   * Identity of the provider that `client` reaches: the uid of the cluster namespace; undefined if unknown. Later
   * credentials must lead to the first one.
   */
  identity(client: Client, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Switches to `next` once it proves to lead to the same provider.
   * @throws if it does not, or that is unknown; then nothing has changed
   */
  rotate(next: ConnectionConfig, signal: AbortSignal): Promise<void>;
}

export interface ProviderCredentialsOptions {
  readonly first: ConnectionConfig;
  readonly clusterNamespace: string;
  /** Creates a client for a try; it is closed afterwards. */
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
        // Unknown: the provider refuses, or the namespace is gone, which others report.
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

/** Error: a credential does not lead to the connection's provider, as far as is known. */
export class OtherProviderError extends Error {
  override readonly name = 'OtherProviderError';
  readonly code = 'OtherProvider';

  constructor(clusterNamespace: string) {
    super(`The cluster namespace ${clusterNamespace} that it leads to is not known to be the same.`);
  }
}
