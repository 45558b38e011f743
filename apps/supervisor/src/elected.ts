import type { Client } from '@hawser/client';
import { type ShardTerm, createLeaderElector } from '@hawser/lease';

import type { Config } from '@hawser/config';
import type { HealthCheck } from './health-server.js';
import type { ProcessContext } from '@hawser/commands';
import { LedWork, leaseOptions } from './led-work.js';

export interface ElectedOptions {
  readonly lease: Config['konnector']['lease'];
  readonly defaultName: string;
  /** For the work. */
  readonly client: Client;
  /** For the Lease: one that no limit of requests per second holds up, or the Lease would be lost under load. */
  readonly leaseClient: Client;
  readonly context: ProcessContext;
  /** Ends, with nothing in flight, soon after `signal` aborts. */
  readonly work: Work;
}

/**
 * Work under a lease. `client` refuses writes once `mayWrite` aborts; give that very signal to further clients: reading it looks at the clock, so that
 * the first write after a stall is refused too. With `shards` only what this process owns is its work.
 */
export type Work = (client: Client, signal: AbortSignal, mayWrite: AbortSignal, shards?: ShardTerm) => Promise<void>;

/** Work that only one process at a time does. */
export interface Elected {
  /** Campaigns and works until `signal` aborts; then lets the work end in order and releases the lease. */
  run(signal: AbortSignal): Promise<void>;
  readonly leading: boolean;
  checks(): readonly HealthCheck[];
}

/** The name of the provider role's, unless the config has another. */
export const PROVIDER_LEASE = 'hawser-provider';

export function createElected(options: ElectedOptions): Elected {
  const { lease, client, context, work } = options;
  const led = new LedWork();
  const identity =
    lease.identity !== ''
      ? lease.identity
      : (context.env['POD_NAME'] ?? '') || String(Math.floor(context.random() * 2 ** 31));
  const elector = lease.enabled ? createLeaderElector({ ...leaseOptions(options), identity }) : undefined;
  return {
    get leading() {
      return led.leading;
    },
    run: (signal) =>
      elector === undefined
        ? led.lead(() => work(client, signal, new AbortController().signal))
        : led.campaign(signal, (lead, campaign) =>
            elector.run(
              ({ signal: term }) =>
                lead(() => work(client.withWriteGuard(term), AbortSignal.any([signal, term]), term)),
              campaign,
            ),
          ),
    checks: () => (elector === undefined ? [] : [led.check(elector, lease)]),
  };
}
