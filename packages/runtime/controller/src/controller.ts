import type { Client } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { SharedInformers } from '@hawser/informer';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';

/** A controller's access to one cluster. */
export interface Cluster {
  /** For logs and messages: `consumer` or `provider`. */
  readonly name: string;
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly events: EventRecorder;
}

/** Everything that a controller may use. `Names` are the clusters that it needs. */
export interface ControllerContext<Names extends string = string> {
  readonly clusters: Readonly<Record<Names, Cluster>>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the controller must end at once; `stop()` is the orderly way. */
  readonly signal: AbortSignal;
}

/** The contract of every controller package. */
export interface Controller<Names extends string = string> {
  readonly name: string;
  /** Resolves when its caches are synced and its workers run. Rejects if `ctx.signal` aborts before. */
  start(ctx: ControllerContext<Names>): Promise<void>;
  /** Stops. Idempotent; resolves when nothing is in flight. */
  stop(): Promise<void>;
}
