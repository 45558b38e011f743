import type { JsonObject } from '@hawser/json';

/**
 * A Lease that another holder took at that time, in milliseconds since the epoch, and keeps for a while without
 * renewing.
 */
export function heldByAnother(lease: JsonObject, now: number, forMs: number): JsonObject {
  const time = `${new Date(now).toISOString().slice(0, -1)}000Z`;
  return {
    ...lease,
    spec: {
      holderIdentity: 'somebody-else',
      leaseDurationSeconds: Math.max(1, Math.round(forMs / 1_000)),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 99,
    },
  };
}
