import type { KubeObject } from '@hawser/client';

/** `spec` of a coordination.k8s.io/v1 Lease, as client-go's leader election reads and writes it. Keeps other fields. */
export interface LeaseSpec {
  /** Empty or absent: no holder, for example after a release. */
  readonly holderIdentity?: string | null | undefined;
  readonly leaseDurationSeconds?: number | null | undefined;
  readonly acquireTime?: string | null | undefined;
  readonly renewTime?: string | null | undefined;
  readonly leaseTransitions?: number | null | undefined;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec | undefined;
}

/** Wall time as a MicroTime: RFC 3339 with six decimals, UTC. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}

export function holderOf(lease: Lease): string | undefined {
  const holder = lease.spec?.holderIdentity;
  return holder === null || holder === '' ? undefined : holder;
}

/**
 * The spec of a holder from now on. For the same holder leaseTransitions stays, and acquireTime too unless the holder
 * starts again (`isRestart`).
 */
export function heldSpec(
  before: LeaseSpec | undefined,
  identity: string,
  durationMs: number,
  epochMs: number,
  isRestart = false,
): LeaseSpec {
  const now = microTime(epochMs);
  const renewed = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: renewed && !isRestart ? (before.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: before === undefined || renewed ? transitions : transitions + 1,
  };
}

/**
 * The spec that client-go writes on release: no holder, and a duration of a second for readers that look only at that.
 */
export function releasedSpec(before: LeaseSpec | undefined, epochMs: number): LeaseSpec {
  const now = microTime(epochMs);
  return {
    ...before,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: before?.leaseTransitions ?? 0,
  };
}

/** Whether it was renewed since it was acquired. */
export function isRenewed({ spec }: Lease): boolean {
  return spec?.renewTime !== spec?.acquireTime;
}

/** Text of a record. Equal texts: not renewed in between. */
export function recordText(lease: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  return JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
}
