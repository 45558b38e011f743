import type { ProviderConnection } from '@hawser/konnector-connection';
import {
  type ConnectionConfig,
  type KubeconfigPolicy,
  connectionHash,
  parseSecretKubeconfig,
} from '@hawser/kubeconfig';

/** Remembers the target of each kubeconfig in consumer Secrets. Stores hashes, never the content. */
export interface Destinations {
  /** The provider hands this value (base64) out, or did so: the next one may replace it, wherever it leads. */
  handedOut(value: string): void;
  /**
   * Whether a value is a kubeconfig for another provider, or another place on this one, than the connection's and the
   * provider's own. An administrator wants that target: the connection must not overwrite it. A value that is no
   * kubeconfig leads nowhere.
   */
  isOtherDestination(value: string): boolean;
}

/** Maximum number of remembered values and answers. */
const MEMORY = 64;

export function createDestinations(
  connection: Pick<ProviderConnection, 'hash' | 'config' | 'clusterNamespace'>,
  policy: KubeconfigPolicy,
): Destinations {
  const handedOut = new Map<string, string | undefined>();
  return {
    handedOut(value) {
      const hash = hashOf(value);
      if (handedOut.has(hash)) return;
      handedOut.set(hash, destinationOf(value, policy));
      for (const oldest of handedOut.keys()) if (handedOut.size > MEMORY) handedOut.delete(oldest);
    },
    isOtherDestination(value) {
      const hash = hashOf(value);
      if (hash === connection.hash || handedOut.has(hash)) return false;
      const destination = destinationOf(value, policy);
      return (
        destination !== undefined &&
        destination !== connectionDestination(connection.config, connection.clusterNamespace) &&
        ![...handedOut.values()].includes(destination)
      );
    },
  };
}

function hashOf(value: string): string {
  return connectionHash(Buffer.from(value, 'base64'));
}

function destinationOf(value: string, policy: KubeconfigPolicy): string | undefined {
  const parsed = parseSecretKubeconfig(Buffer.from(value, 'base64'), policy);
  return parsed.ok ? connectionDestination(parsed.connection, parsed.namespace) : undefined;
}

/** Ignores credentials and authorities: they change while the provider stays the same. */
function connectionDestination(
  { server, tlsServerName = '', proxyUrl = '' }: ConnectionConfig,
  namespace: string,
): string {
  return JSON.stringify([URL.parse(server)?.href ?? server, tlsServerName, proxyUrl, namespace]);
}
