import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Client } from './client.js';
import { createClient } from './create-client.js';
import { type ClientOptions } from './client-options.js';

/** Clients of one installation that answers at several hosts, such as the shards of kcp. */
export interface Hosts {
  /** The server of the connection. */
  readonly home: Client;
  /**
   * Returns a client for an address that the installation itself has published: {@link Client.at} of the host's one
   * client. Other hosts use home's certificate authority and credentials. So an address throws a RangeError if it is
   * not https where home's is, or has more than host and path.
   */
  at(url: string, name?: string): Client;
  /** Closes the clients of all hosts. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates the clients of an installation: at most one, with one pool, for each host. Reads the connection before each
 * request, so all hosts follow a rotation.
 */
export function createHosts(options: ClientOptions): Hosts {
  const { connection } = options;
  const current = (): ConnectionConfig => (typeof connection === 'function' ? connection() : connection);
  const home = createClient(options);
  const others = new Map<string, Client>();

  return {
    home,
    at: (url, name) => {
      const { origin, path } = addressOf(url);
      const server = URL.parse(current().server);
      if (server === null || server.origin === origin) return home.at(path, name);
      if (server.protocol === 'https:' && !origin.startsWith('https:'))
        throw new RangeError(`${origin} is not an https address, so the credentials would travel in the open`);
      const known = others.get(origin);
      const client = known ?? createClient({ ...options, connection: () => redirected(current(), origin) });
      if (known === undefined) others.set(origin, client);
      return client.at(path, name);
    },
    close: async () => {
      await Promise.all([home, ...others.values()].map((client) => client.close()));
    },
  };
}

/**
 * Points the same connection to another host. Getters of the original stay getters: they follow the files of a
 * kubeconfig.
 */
function redirected(connection: ConnectionConfig, server: string): ConnectionConfig {
  return Object.create(connection, { server: { value: server, enumerable: true } }) as ConnectionConfig;
}

function addressOf(url: string): { readonly origin: string; readonly path: string } {
  const parsed = URL.parse(url);
  if (
    parsed === null ||
    !['http:', 'https:'].includes(parsed.protocol) ||
    parsed.username !== '' ||
    parsed.password !== '' ||
    parsed.search !== '' ||
    parsed.hash !== ''
  ) {
    throw new RangeError('the address is not a plain http or https address of a host and a path');
  }
  return { origin: parsed.origin, path: parsed.pathname };
}
