import { type Client, type KubeObject, getIfExists, isApiError } from '@hawser/client';
import { parseTime, resources } from '@hawser/kube-bind';

/** Key of the Lease that names the provider role's working process. */
export interface LeaseKey {
  readonly namespace: string;
  readonly name: string;
}

/** The working process of the provider role. */
export interface LeaderState {
  /**
   * `none`: the Lease is free. `stale`: its holder has not renewed it in time, so perhaps no process works. `unknown`:
   * it cannot be read.
   */
  readonly state: 'leads' | 'stale' | 'none' | 'unknown';
  readonly identity: string | undefined;
  /** RFC 3339. */
  readonly renewed: string | undefined;
  /** Number of changes of the holder. */
  readonly transitions: number | undefined;
}

interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

const unknown: LeaderState = { state: 'unknown', identity: undefined, renewed: undefined, transitions: undefined };

/**
 * Undefined key: the provider role works without a Lease.
 * @throws {ApiError} unless the API server refuses the read
 */
export async function readLeader(
  client: Pick<Client, 'name' | 'get'>,
  key: LeaseKey | undefined,
  now: number,
  signal: AbortSignal,
): Promise<LeaderState | undefined> {
  if (key === undefined) return undefined;
  try {
    return leaderOf(await getIfExists<Lease>(client, resources.leases, key, { signal }), now);
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return unknown;
    throw error;
  }
}

/** Pure. */
export function leaderOf(lease: Lease | undefined, now: number): LeaderState {
  const { holderIdentity, leaseDurationSeconds, renewTime, leaseTransitions } = lease?.spec ?? {};
  const renewed = renewTime ?? undefined;
  const transitions = leaseTransitions ?? undefined;
  if (holderIdentity === undefined || holderIdentity === null || holderIdentity === '')
    return { state: 'none', identity: undefined, renewed, transitions };
  const at = parseTime(renewed);
  const isFresh = at !== undefined && now - at <= (leaseDurationSeconds ?? 0) * 1_000;
  return { state: isFresh ? 'leads' : 'stale', identity: holderIdentity, renewed, transitions };
}
