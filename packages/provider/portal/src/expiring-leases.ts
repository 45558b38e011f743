import { type Client, type KubeObject, isConflict, isNotFound } from '@hawser/client';
import { resources } from '@hawser/kube-bind';

/** On each Lease of the portal: its end of validity. RFC 3339. */
const EXPIRES = 'hawser.dev/expires';
/** Purpose of a portal's Lease. */
export const PORTAL_LABEL = 'hawser.dev/portal';

export interface ExpiringLease {
  readonly namespace: string;
  readonly name: string;
  readonly purpose: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Builds a Lease for a record that replicas share for a limited time. */
export function expiringLease({ namespace, name, purpose, expires, labels, annotations }: ExpiringLease): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace,
      name,
      labels: { ...labels, [PORTAL_LABEL]: purpose },
      annotations: { ...annotations, [EXPIRES]: new Date(expires).toISOString() },
    },
  };
}

/** A Lease without a time never expires: it was made by hand. */
export function hasExpired({ metadata }: Pick<KubeObject, 'metadata'>, now: number): boolean {
  return Date.parse(metadata.annotations?.[EXPIRES] ?? '') < now;
}

/** The Leases of one purpose. @throws {ApiError} */
export async function leasesFor(
  client: Pick<Client, 'list'>,
  { namespace, purpose, labels = {} }: Pick<ExpiringLease, 'namespace' | 'purpose' | 'labels'>,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const labelSelector = Object.entries({ [PORTAL_LABEL]: purpose, ...labels })
    .map(([label, value]) => `${label}=${value}`)
    .join();
  return (await client.list<KubeObject>(resources.leases, { namespace, labelSelector, signal })).items;
}

/** Deletes expired Leases. Succeeds also if another replica was first. */
export async function deleteExpired(
  client: Pick<Client, 'delete'>,
  leases: readonly Pick<KubeObject, 'metadata'>[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for (const lease of leases) if (hasExpired(lease, now) && !signal.aborted) await deleteLease(client, lease, signal);
}

/** Whether this call deleted it: of any number, exactly one returns true. @throws {ApiError} */
export async function deleteLease(
  client: Pick<Client, 'delete'>,
  { metadata: { namespace, name, uid } }: Pick<KubeObject, 'metadata'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.delete(resources.leases, { namespace, name }, { preconditions: { uid }, signal });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
