import type { ConnectionConfig, Credentials } from '@hawser/kubeconfig';
import type { FaultRule, InjectedFault } from './fault.js';

/** One request that the proxy has received. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly watch: boolean;
  readonly userAgent: string | undefined;
  /** Content type of the request body, which tells the kinds of patches apart. */
  readonly contentType: string | undefined;
  /** Whether an Authorization header came with it; never the header. */
  readonly authorized: boolean;
  /** Kind of the fault that hit it, `latency` aside. */
  readonly fault: string | undefined;
  /** Status that was sent; absent while there is none. */
  readonly status: number | undefined;
  /** Whether nothing more will happen to it. */
  readonly finished: boolean;
}

/** A TLS proxy in front of an API server that misbehaves on request. */
export interface FaultProxy extends AsyncDisposable {
  /** `https://127.0.0.1:<port>`; stays the same until {@link stop}. */
  readonly server: string;
  /** The authority that signed the proxy's certificate, PEM. */
  readonly caData: string;
  /**
   * How clients reach the proxy. A token of the upstream connection is passed on by the client itself; behind a client certificate, which
   * cannot travel through a proxy, the client has no credentials and the proxy speaks for it.
   */
  readonly connection: ConnectionConfig;
  /** As {@link connection}, with other credentials. A client that sends an Authorization header is who it says, not whom the proxy speaks for. */
  connectionWith(credentials: Credentials): ConnectionConfig;
  /** Client connections that are open now. */
  readonly connections: number;
  /** Client connections that were ever opened. */
  readonly connectionsTotal: number;
  /** Requests that are not finished, watches included. */
  readonly openRequests: number;
  /** Every request so far, oldest first. */
  readonly requests: readonly ProxiedRequest[];
  /** Adds a fault. Rules are tried oldest first; one rule hits a request, besides latencies, which add up. */
  inject(rule: FaultRule): InjectedFault;
  /** Takes back every fault, and listens again after {@link refuse}. What has already gone wrong stays so. */
  clear(): Promise<void>;
  /** Resets every client connection; new ones are taken. What a restart of a server behind a load balancer looks like. */
  dropAll(): void;
  /** Resets every client connection and refuses new ones until {@link accept}: the server is unreachable. */
  refuse(): Promise<void>;
  /** Takes connections again, on the same port. */
  accept(): Promise<void>;
  /** Closes everything. Idempotent. */
  stop(): Promise<void>;
}
