import type { Client } from '@hawser/client';

import type { Elected } from './elected.js';
import type { HealthCheck } from './health-server.js';
import type { RunningRole } from './role.js';

export interface ElectedRoleOptions {
  readonly name: string;
  readonly elected: Elected;
  /** Closed when the role ends. */
  readonly clients: readonly Client[];
  /** Whether the work has started and not ended. */
  readonly working: () => boolean;
  /** Beyond the election's own. */
  readonly checks?: () => readonly HealthCheck[];
}

/** A role whose work runs in one process at a time. Standby processes are ready too. */
export function electedRole({ name, elected, clients, working, checks = () => [] }: ElectedRoleOptions): RunningRole {
  return {
    name,
    async run(signal) {
      try {
        await elected.run(signal);
      } finally {
        await Promise.all([...new Set(clients)].map((client) => client.close()));
      }
    },
    ready: () => working() || !elected.leading,
    checks: () => [...elected.checks(), ...checks()],
  };
}
