import type { DispatcherFactory } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Logger, Metrics } from '@hawser/telemetry';

/** How API servers are reached other than by sockets, and what stands in for kubeconfig files: for clusters that live in the same process. */
export interface Network {
  readonly dispatcher: DispatcherFactory;
  /** What the kubeconfig file of that name would say. */
  ownConnection(kubeconfig: string): ConnectionConfig;
}

/** What every part of the process shares. Made once, in the executable. */
export interface ProcessContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: files and sockets. */
  readonly network?: Network | undefined;
}
