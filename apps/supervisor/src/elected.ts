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
  /** Client for the Lease, without a rate limit: otherwise load would lose the Lease. */
  readonly leaseClient: Client;
  readonly context: ProcessContext;
  /** Ends soon after `signal` aborts, with nothing in flight. */
  readonly work: Work;
}

/**
 * Work under a lease. `client` refuses writes once `mayWrite` aborts. Pass that same signal to further clients: reading
 * it checks the clock, which also refuses the first write after a stall. With `shards`, only the keys this process owns
 * are its work.
 */
export type Work = (client: Client, signal: AbortSignal, mayWrite: AbortSignal, shards?: ShardTerm) => Promise<void>;

/** Work that one process at a time does. */
export interface Elected {
  /** Campaigns and works until `signal` aborts; then finishes the work and releases the lease. */
  run(signal: AbortSignal): Promise<void>;
  readonly leading: boolean;
  checks(): readonly HealthCheck[];
}

/** Default name of the provider role's Lease. */
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
