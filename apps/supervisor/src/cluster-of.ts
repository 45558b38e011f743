import type { Client } from '@hawser/client';
import { sleep } from '@hawser/clock';
import { type Cluster, clientEventWriter } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import { createEventRecorder } from '@hawser/telemetry';

import type { ProcessContext } from '@hawser/commands';

const FLUSH_WITHIN_MS = 1_000;

/** A cluster with informers and Events. Closing it leaves the client to the caller. */
export interface OpenCluster {
  readonly cluster: Cluster;
  /** Writes pending Events, then closes watches. */
  close(): Promise<void>;
}

/** Opens informers and Events over a client. `component` is the reporter of Events. */
export function clusterOf(name: string, client: Client, component: string, context: ProcessContext): OpenCluster {
  const { clock, random, logger, metrics } = context;
  const informers = createSharedInformers({ client, clock, random, logger, metrics });
  const events = createEventRecorder({ writer: clientEventWriter(client), component, clock, random, logger, metrics });
  return {
    cluster: { name, client, informers, events },
    async close() {
      await informers.close();
      // Do not delay the end for Events that cannot be written in time.
      const written = new AbortController();
      const limit = sleep(clock, FLUSH_WITHIN_MS, written.signal).catch(() => undefined);
      try {
        await Promise.race([events.flush(), limit]);
      } finally {
        written.abort();
      }
    },
  };
}
