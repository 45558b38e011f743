import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { systemClock } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type DispatcherFactory, Pools } from './pools.js';

/** A request of a third party, ready to send. */
export interface PassedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, below the path in the server's URL. */
  readonly path: string;
  /** All headers, the authorization included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** A watch gets its own connection. */
  readonly watch?: boolean | undefined;
}

/** The answer, whatever its status. The receiver must read or destroy the body. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Forwards requests of third parties to an API server, with the credentials of the requests. */
export interface Passage {
  /**
   * Sends once. Never uses the credentials of the connection, a certificate included.
   * @throws if the server cannot be reached, or `signal` aborts.
   */
  send(request: PassedRequest, signal: AbortSignal): Promise<PassedAnswer>;
  /** Aborts requests in flight and closes the sockets. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a {@link Passage}. `connection` gives the server's address and trusted authorities; it is read before each
 * request, so it may change.
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

/** Removes the credentials. Getters of the original stay getters: they follow the files of a kubeconfig. */
function withoutCredentials(connection: ConnectionConfig): ConnectionConfig {
  return Object.create(connection, { credentials: { value: { kind: 'none' }, enumerable: true } }) as ConnectionConfig;
}
