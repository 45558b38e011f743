import type { Clock, Random } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Logger, Metrics } from '@hawser/telemetry';
import type { DispatcherFactory } from './pools.js';

export interface ClientOptions {
  /** For logs, metrics and messages: `consumer`, `provider`, … */
  readonly name: string;
  /** Where the server is. A function is asked before each request, so it must be cheap; what it returns may change at any time. */
  readonly connection: ConnectionConfig | (() => ConnectionConfig);
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Default `hawser`. The server derives the field manager from it where a write names none. */
  readonly userAgent?: string | undefined;
  /** Requests in flight at a time, watches apart. Default 64. */
  readonly concurrency?: number | undefined;
  /** Connections for requests, watches apart. Default: `concurrency`. */
  readonly connections?: number | undefined;
  /** An answer that is longer is given up as `Malformed`, so that no server can fill the memory; watches apart, whose events may have 32 MiB. Default 128 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Instead of sockets: what requests and watches go through. Asked for when connections are made, twice for each server. */
  readonly dispatcher?: DispatcherFactory | undefined;
  /** Requests per second on average, watches apart. Default: no limit but the server's own. */
  readonly qps?: number | undefined;
  /** Requests that may go at once before `qps` counts. Default: `qps`. */
  readonly burst?: number | undefined;
}
