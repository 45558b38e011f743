import type { Clock, Random } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Logger, Metrics } from '@hawser/telemetry';
import type { DispatcherFactory } from './pools.js';

export interface ClientOptions {
  /** For logs, metrics and messages: `consumer`, `provider`, … */
  readonly name: string;
  /**
   * Where the server is. A function is called before each request, so it must be cheap; its result may change at any
   * time.
   */
  readonly connection: ConnectionConfig | (() => ConnectionConfig);
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Default `hawser`. The server derives the field manager from it where a write names none. */
  readonly userAgent?: string | undefined;
  /** Requests in flight at a time, without watches. Default 64. */
  readonly concurrency?: number | undefined;
  /** Connections for requests, without watches. Default: `concurrency`. */
  readonly connections?: number | undefined;
  /**
   * Longest answer; a longer one fails as `Malformed`. Protects the memory from the server. Default 128 MiB. For
   * watches the limit is 32 MiB per event.
   */
  readonly maxAnswerBytes?: number | undefined;
  /** Replaces the sockets of requests and watches. Called twice for each server, when connections are made. */
  readonly dispatcher?: DispatcherFactory | undefined;
  /** Requests per second on average, without watches. Default: only the server limits. */
  readonly qps?: number | undefined;
  /** Requests that may start at once before `qps` limits them. Default: `qps`. */
  readonly burst?: number | undefined;
}
