import type { Client } from '@hawser/client';
import { sleep } from '@hawser/clock';
import { type Cluster, clientEventWriter } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import { createEventRecorder } from '@hawser/telemetry';

import type { ProcessContext } from '@hawser/commands';

const FLUSH_WITHIN_MS = 1_000;

/** A cluster and the end of what was opened for it. The client stays the caller's. */
export interface OpenCluster {
  readonly cluster: Cluster;
  /** Writes the Events that are left, then closes watches. */
  close(): Promise<void>;
}

/** Informers and Events over a client. `component` is who reports the Events. */
export function clusterOf(name: string, client: Client, component: string, context: ProcessContext): OpenCluster {
  const { clock, random, logger, metrics } = context;
  const informers = createSharedInformers({ client, clock, random, logger, metrics });
  const events = createEventRecorder({ writer: clientEventWriter(client), component, clock, random, logger, metrics });
  return {
    cluster: { name, client, informers, events },
    async close() {
      await informers.close();
      // An Event that cannot be written in time is not worth a slow end.
      await Promise.race([events.flush(), sleep(clock, FLUSH_WITHIN_MS)]);
    },
  };
}
