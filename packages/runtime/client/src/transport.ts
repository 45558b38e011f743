import type { Clock } from '@hawser/clock';
import type { ConnectionConfig, Credentials, RequestHeaders } from '@hawser/kubeconfig';
import type { Logger } from '@hawser/telemetry';
import { type ByteSink, type HttpRequest, type HttpResponse, exchange } from './exchange.js';
import { type DispatcherFactory, Pools } from './pools.js';
import { RequestScope } from './request-scope.js';

export interface TransportOptions {
  readonly connection: ConnectionConfig | (() => ConnectionConfig);
  readonly connections: number;
  readonly dispatcher?: DispatcherFactory | undefined;
  /** Longest answer; a longer one fails. */
  readonly maxAnswerBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request of a verb; the transport adds the server's base path and the credentials. */
export interface TransportRequest extends HttpRequest {
  /** Replaces the path in the server's URL. */
  readonly basePath?: string | undefined;
  /** Longest answer; a longer one fails. At most the limit of the transport. */
  readonly maxBytes?: number | undefined;
  /** The last answer was a 401: fetch new credentials. */
  readonly renewCredentials: boolean;
}

export interface TransportResponse extends HttpResponse {
  /** Whether other credentials are available than those of this answer. */
  readonly renewable: boolean;
}

/** The credentials could not be fetched, so nothing was sent. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

interface Target {
  readonly pools: Pools;
  readonly origin: string;
  readonly host: string;
  readonly basePath: string;
}

/**
 * Sends requests with the current connections and credentials of one API server. Reads the configuration before each
 * request. When the part that connections depend on has changed, it opens new ones and drains the old ones.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #scopes = new Set<RequestScope>();
  readonly #retiring = new Set<Pools>();
  #config: ConnectionConfig | undefined;
  #target: Target | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Host and port of the server of the last request. */
  get host(): string {
    return this.#target?.host ?? '';
  }

  /** See {@link Pools.connectMs}. */
  get connectMs(): number | undefined {
    return this.#target?.pools.connectMs;
  }

  /** Opens the scope of one request. It ends at once when the transport is closed. */
  scope(signals: readonly (AbortSignal | undefined)[], timeoutMs: number): RequestScope {
    const scope = new RequestScope(this.#options.clock, signals, timeoutMs, (ended) => {
      this.#scopes.delete(ended);
    });
    if (this.#closing !== undefined) scope.end(CLOSED);
    if (scope.ending === undefined) this.#scopes.add(scope);
    return scope;
  }

  /** Performs one exchange. Rejects with a `ConnectionError`, {@link CredentialsError}, or the scope's ending. */
  async send(request: TransportRequest, scope: RequestScope, sink?: ByteSink): Promise<TransportResponse> {
    const config = this.#connection();
    const { credentials } = config;
    const credentialHeaders = await this.#authorize(credentials, request.renewCredentials, scope);
    // Dynamic credentials may have a new certificate now.
    const { pools, origin, basePath } = this.#targetFor(config);
    const response = await exchange(
      sink === undefined ? pools.requests : pools.watches,
      origin,
      {
        ...request,
        path: `${request.basePath ?? basePath}${request.path}`,
        headers: { ...request.headers, ...credentialHeaders },
      },
      scope,
      Math.min(request.maxBytes ?? Infinity, this.#options.maxAnswerBytes),
      sink,
    );
    return {
      ...response,
      body: response.status < 400 ? response.body : redact(response.body, credentialHeaders),
      renewable: credentials.kind === 'dynamic' || this.#connection().credentials !== credentials,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const scope of [...this.#scopes]) scope.end(CLOSED);
    const pools = [...this.#retiring, ...(this.#target === undefined ? [] : [this.#target.pools])];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #connection(): ConnectionConfig {
    const { connection } = this.#options;
    if (typeof connection !== 'function') return connection;
    try {
      return connection();
    } catch (error) {
      throw new CredentialsError('the connection is not known', { cause: error });
    }
  }

  async #authorize(credentials: Credentials, renew: boolean, scope: RequestScope): Promise<RequestHeaders> {
    switch (credentials.kind) {
      case 'none':
      case 'certificate':
        return {};
      case 'token':
        return { authorization: `Bearer ${credentials.token}` };
      case 'dynamic':
        return await scope.during<RequestHeaders>((resolve, reject) => {
          credentials.headers(renew).then(resolve, (error: unknown) => {
            reject(new CredentialsError('no credentials could be had', { cause: error }));
          });
          return () => undefined;
        });
    }
  }

  #targetFor(config: ConnectionConfig): Target {
    const current = this.#target;
    if (current !== undefined && config === this.#config && config.credentials.kind !== 'dynamic') return current;
    const url = URL.parse(config.server);
    if (url === null) throw new CredentialsError('the server of the connection is not a URL');
    const pools =
      current?.pools.serves(config, url.origin) === true ? current.pools : this.#connect(config, url.origin);
    this.#config = config;
    this.#target = { pools, origin: url.origin, host: url.host, basePath: url.pathname.replace(/\/+$/u, '') };
    return this.#target;
  }

  #open(config: ConnectionConfig, origin: string): Pools {
    try {
      return new Pools(config, origin, this.#options);
    } catch (error) {
      throw new CredentialsError('the certificates of the connection cannot be used', { cause: error });
    }
  }

  #connect(config: ConnectionConfig, origin: string): Pools {
    const old = this.#target?.pools;
    const pools = this.#open(config, origin);
    if (old !== undefined) {
      this.#options.logger.info('The connection has changed; requests in flight end on the old one.');
      this.#retiring.add(old);
      old
        .drain()
        .catch(() => undefined)
        .finally(() => {
          this.#retiring.delete(old);
        });
    }
    return pools;
  }
}

const CLOSED = { code: 'Aborted', cause: new Error('the client is closed') } as const;

/** Removes the credentials from an answer: a server, or a proxy before it, may echo the request in its error page. */
function redact(body: string, { authorization }: RequestHeaders): string {
  const secret = typeof authorization === 'string' ? authorization.replace(/^\w+ /u, '') : '';
  return secret === '' ? body : body.replaceAll(secret, '[redacted]');
}
