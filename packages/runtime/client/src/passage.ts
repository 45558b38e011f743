import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { systemClock } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type DispatcherFactory, Pools } from './pools.js';

/** A request of somebody else, as it is to be sent. */
export interface PassedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query, below the path in the server's URL. */
  readonly path: string;
  /** All of them, the authorization included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** A watch has a connection of its own. */
  readonly watch?: boolean | undefined;
}

/** The answer, whatever its status. The body has to be read or destroyed. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** A way to an API server for requests of others, which carry credentials of their own. */
export interface Passage {
  /**
   * Sends once. The credentials of the connection, a certificate included, are never used.
   * @throws if the server cannot be reached, or `signal` aborts.
   */
  send(request: PassedRequest, signal: AbortSignal): Promise<PassedAnswer>;
  /** Ends requests in flight and closes the sockets. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a {@link Passage}. `connection` says where the server is and which authorities it is trusted by; it is asked before each request, so what it returns may change.
 * @param connections requests in flight at a time, watches apart. Default 256.
 */
export function createPassage(
  connection: () => ConnectionConfig,
  { connections = 256, dispatcher }: { readonly connections?: number; readonly dispatcher?: DispatcherFactory } = {},
): Passage {
  const retiring = new Set<Pools>();
  let current: Pools | undefined;
  const poolsFor = (config: ConnectionConfig, origin: string): Pools => {
    if (current?.serves(config, origin) === true) return current;
    const old = current;
    current = new Pools(config, origin, { connections, clock: systemClock, dispatcher });
    if (old !== undefined) {
      retiring.add(old);
      void old
        .drain()
        .catch(() => undefined)
        .finally(() => retiring.delete(old));
    }
    return current;
  };
  return {
    send: async ({ method, path, headers, body, watch = false }, signal) => {
      const config: ConnectionConfig = withoutCredentials(connection());
      const { origin, pathname } = new URL(config.server);
      const pools = poolsFor(config, origin);
      const answer = await (watch ? pools.watches : pools.requests).request({
        origin,
        path: `${pathname.replace(/\/+$/u, '')}${path}`,
        method,
        headers: { ...headers },
        body: body ?? null,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
        reset: false,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: async () => {
      const all = [...retiring, ...(current === undefined ? [] : [current])];
      current = undefined;
      await Promise.all(all.map((pools) => pools.destroy()));
    },
  };
}

/** Getters of the original stay getters: they follow the files that a kubeconfig names. */
function withoutCredentials(connection: ConnectionConfig): ConnectionConfig {
  return Object.create(connection, { credentials: { value: { kind: 'none' }, enumerable: true } }) as ConnectionConfig;
}
