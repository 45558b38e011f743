import { type SecureContext, createSecureContext } from 'node:tls';
import type { Clock } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Dispatcher, Pool, ProxyAgent, buildConnector } from 'undici';

/** What a TLS connection depends on. A changed token needs no new connection, so it is not part of this. */
interface Endpoint {
  readonly origin: string;
  readonly caData: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

function endpointOf(config: ConnectionConfig, origin: string): Endpoint {
  const { credentials } = config;
  const certificate = credentials.kind === 'certificate' || credentials.kind === 'dynamic' ? credentials : undefined;
  return {
    origin,
    caData: config.caData,
    tlsServerName: config.tlsServerName,
    insecureSkipTlsVerify: config.insecureSkipTlsVerify ?? false,
    proxyUrl: config.proxyUrl,
    cert: certificate?.cert,
    key: certificate?.key,
  };
}

/** Makes what requests to one server go through, instead of a pool of sockets: for a server in the same process. */
export type DispatcherFactory = (connection: ConnectionConfig) => Dispatcher;

export interface PoolsOptions {
  /** Requests in flight at a time, watches apart. */
  readonly connections: number;
  readonly clock: Clock;
  readonly dispatcher?: DispatcherFactory | undefined;
}

/** Notes how long connections take. */
type Timed = (connector: buildConnector.connector) => buildConnector.connector;

/**
 * The sockets to one endpoint. Watches have connections of their own, as many as there are watches, so neither they nor the requests starve the
 * other.
 */
export class Pools {
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
  readonly #endpoint: Endpoint;
  #connectMs = Infinity;

  constructor(config: ConnectionConfig, origin: string, { connections, clock, dispatcher: factory }: PoolsOptions) {
    this.#endpoint = endpointOf(config, origin);
    this.requests = factory?.(config) ?? dispatcher(this.#endpoint, connections, this.#timed(clock));
    this.watches = factory?.(config) ?? dispatcher(this.#endpoint, null, this.#timed(clock));
  }

  /** How long the fastest connection took to make, TLS included, in milliseconds. Undefined: none was made, or not straight to the server. */
  get connectMs(): number | undefined {
    return Number.isFinite(this.#connectMs) ? this.#connectMs : undefined;
  }

  #timed(clock: Clock): Timed {
    return (connector) => (options, callback) => {
      const started = clock.monotonic();
      connector(options, (...result) => {
        if (result[0] === null) this.#connectMs = Math.min(this.#connectMs, clock.monotonic() - started);
        callback(...result);
      });
    };
  }

  /** Whether connections made for `config` would be the same as these. */
  serves(config: ConnectionConfig, origin: string): boolean {
    const wanted = endpointOf(config, origin);
    return (Object.keys(wanted) as (keyof Endpoint)[]).every((field) => wanted[field] === this.#endpoint[field]);
  }

  /** Takes no more requests; resolves when those in flight are done, watches included. */
  async drain(): Promise<void> {
    await Promise.all([this.requests.close(), this.watches.close()]);
  }

  async destroy(): Promise<void> {
    await Promise.all([this.requests.destroy(), this.watches.destroy()]);
  }
}

/** Below the 90 s after which an API server drops an idle connection, and below what most load balancers allow. */
const KEEP_ALIVE_MS = 30_000;

function dispatcher(endpoint: Endpoint, connections: number | null, timed: Timed): Dispatcher {
  const tls = {
    ...(endpoint.origin.startsWith('https:') ? { secureContext: secureContext(endpoint) } : {}),
    ...(endpoint.tlsServerName === undefined ? {} : { servername: endpoint.tlsServerName }),
    rejectUnauthorized: !endpoint.insecureSkipTlsVerify,
  };
  // The deadline of each request is our own; undici's would only come on top.
  const shared = {
    connections,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  if (endpoint.proxyUrl === undefined)
    return new Pool(endpoint.origin, {
      ...shared,
      connect: timed(buildConnector({ ...tls, allowH2: false })),
    });
  return new ProxyAgent({
    ...shared,
    uri: endpoint.proxyUrl,
    requestTls: { ...tls, allowH2: false },
    proxyTls: { allowH2: false },
  });
}

/** One for all connections: reading the certificates costs more CPU than the rest of a handshake that resumes a session. */
function secureContext({ caData, cert, key }: Endpoint): SecureContext {
  return createSecureContext({
    ...(caData === undefined ? {} : { ca: caData }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}
