import { type SecureContext, createSecureContext } from 'node:tls';
import type { Clock } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Dispatcher, Pool, ProxyAgent, buildConnector } from 'undici';

/**
 * The parts of a configuration that a TLS connection depends on. The token is not among them: a new one needs no new
 * connection.
 */
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

/** Makes a replacement for a pool of sockets: for a server in the same process. */
export type DispatcherFactory = (connection: ConnectionConfig) => Dispatcher;

export interface PoolsOptions {
  /** Requests in flight at a time, watches apart. */
  readonly connections: number;
  readonly clock: Clock;
  readonly dispatcher?: DispatcherFactory | undefined;
}

/** Wraps a connector to measure its time. */
type Timed = (connector: buildConnector.connector) => buildConnector.connector;

/** The sockets to one endpoint. Each watch has its own connection, so watches and requests never starve each other. */
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

  /**
   * Time that the fastest connection took, TLS included, in milliseconds. Undefined: none was made, or only through a
   * proxy.
   */
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

  /** Whether `config` needs the same connections as these. */
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

/** Below the 90 s after which an API server drops an idle connection, and below the limit of most load balancers. */
const KEEP_ALIVE_MS = 30_000;

function dispatcher(endpoint: Endpoint, connections: number | null, timed: Timed): Dispatcher {
  const tls = {
    ...(endpoint.origin.startsWith('https:') ? { secureContext: secureContext(endpoint) } : {}),
    ...(endpoint.tlsServerName === undefined ? {} : { servername: endpoint.tlsServerName }),
    rejectUnauthorized: !endpoint.insecureSkipTlsVerify,
  };
  // Each request has its own deadline; undici's would be a second one.
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

/** One context for all connections: reading the certificates costs more CPU than the rest of a resumed handshake. */
function secureContext({ caData, cert, key }: Endpoint): SecureContext {
  return createSecureContext({
    ...(caData === undefined ? {} : { ca: caData }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}
