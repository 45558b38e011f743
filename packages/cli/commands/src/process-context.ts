import type { DispatcherFactory } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Logger, Metrics } from '@hawser/telemetry';

/** Reaches API servers without sockets, and replaces kubeconfig files: for clusters in the same process. */
export interface Network {
  readonly dispatcher: DispatcherFactory;
  /** The connection that the kubeconfig file of that name would give. */
  ownConnection(kubeconfig: string): ConnectionConfig;
}

/** Shared by every part of the process. Made once, in the executable. */
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
