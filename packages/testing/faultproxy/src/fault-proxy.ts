import type { ConnectionConfig, Credentials } from '@hawser/kubeconfig';
import type { FaultRule, InjectedFault } from './fault.js';

/** One request that the proxy has received. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly watch: boolean;
  readonly userAgent: string | undefined;
  /** Content type of the request body; it distinguishes the kinds of patches. */
  readonly contentType: string | undefined;
  /** Whether it had an Authorization header; never the header itself. */
  readonly authorized: boolean;
  /** Kind of the fault that hit it, `latency` aside. */
  readonly fault: string | undefined;
  /** Status sent; absent until then. */
  readonly status: number | undefined;
  /** Whether it is complete. */
  readonly finished: boolean;
}

/** A TLS proxy in front of an API server that misbehaves on request. */
export interface FaultProxy extends AsyncDisposable {
  /** `https://127.0.0.1:<port>`; stays the same until {@link stop}. */
  readonly server: string;
  /** The authority that signed the proxy's certificate, PEM. */
  readonly caData: string;
  /**
   * Connection for clients. With a token upstream, the client passes the token itself. A client certificate cannot
   * travel through a proxy: then the client has no credentials, and the proxy uses the certificate.
   */
  readonly connection: ConnectionConfig;
  /**
   * {@link connection} with other credentials. A client with an Authorization header acts as itself, not with the
   * proxy's credentials.
   */
  connectionWith(credentials: Credentials): ConnectionConfig;
  /** Currently open client connections. */
  readonly connections: number;
  /** Client connections ever opened. */
  readonly connectionsTotal: number;
  /** Unfinished requests, watches included. */
  readonly openRequests: number;
  /** Every request so far, oldest first. */
  readonly requests: readonly ProxiedRequest[];
  /** Adds a fault. Tries rules oldest first; one rule hits a request, besides latencies, which add up. */
  inject(rule: FaultRule): InjectedFault;
  /** Removes every fault, and listens again after {@link refuse}. Damage already done stays. */
  clear(): Promise<void>;
  /** Resets every client connection and accepts new ones: looks like a server restart behind a load balancer. */
  dropAll(): void;
  /** Resets every client connection and refuses new ones until {@link accept}: the server is unreachable. */
  refuse(): Promise<void>;
  /** Accepts connections again, on the same port. */
  accept(): Promise<void>;
  /** Closes everything. Idempotent. */
  stop(): Promise<void>;
}
