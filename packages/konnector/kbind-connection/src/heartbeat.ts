import {
  type Client,
  getIfExists,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type KubeObject,
  type Resource,
} from '@hawser/client';
import { annotations, fixedNames, heartbeatLeaseName, labels, leaseDurationSeconds } from '@hawser/core-kbind';

const LEASES: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** Three renewals in each lease duration. */
export const HEARTBEAT_EVERY_MS = (leaseDurationSeconds * 1_000) / 3;

/** The consumer that is alive. */
export interface Holder {
  readonly consumerUID: string;
  /** The Connection that leads to the provider; of several, the first by name. */
  readonly connection: string;
}

/**
 * Tells the provider that the consumer is alive (spec/kbind-v2.md §9.2): creates or renews its Lease.
 * Providers find the Lease by name, or by the annotation that names the Connection until they know the consumer's uid.
 * A provider that refuses the write does not check Leases: the caller decides what a failure means.
 * @throws {ApiError}
 */
export async function beat(
  client: Client,
  { consumerUID, connection }: Holder,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = fixedNames;
  const name = heartbeatLeaseName(consumerUID);
  const renewTime = microTime(nowMs);
  const marks = { [annotations.consumerClusterUID]: consumerUID, [annotations.connection]: connection };
  const found = await getIfExists<KubeObject>(client, LEASES, { namespace, name }, { signal });
  if (found !== undefined) {
    const patch = {
      spec: { holderIdentity: consumerUID, leaseDurationSeconds, renewTime },
      metadata: { resourceVersion: found.metadata.resourceVersion, annotations: marks },
    };
    await client.patch(LEASES, { namespace, name }, { type: 'merge', patch }, { signal });
    return;
  }
  try {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
  }
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, labels: { [labels.managed]: 'true' }, annotations: marks },
    spec: { holderIdentity: consumerUID, leaseDurationSeconds, acquireTime: renewTime, renewTime },
  };
  await client.create(LEASES, lease, { signal });
}

/**
 * Ends the heartbeat: deletes the Lease if it belongs to this consumer.
 * @throws {ApiError}
 */
export async function endHeartbeat(client: Client, consumerUID: string, signal: AbortSignal): Promise<void> {
  const key = { namespace: fixedNames.namespace, name: heartbeatLeaseName(consumerUID) };
  const found = await getIfExists<KubeObject>(client, LEASES, key, { signal });
  const { labels: its, annotations: existing, uid, resourceVersion } = found?.metadata ?? {};
  if (its?.[labels.managed] !== 'true' || existing?.[annotations.consumerClusterUID] !== consumerUID) return;
  try {
    await client.delete(LEASES, key, { preconditions: { uid, resourceVersion }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** `metav1.MicroTime`. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
