import { type Client, getIfExists, isAlreadyExists, isForbidden, type KubeObject, type Resource } from '@hawser/client';
import { annotations, fixedNames, heartbeatLeaseName, labels, leaseDurationSeconds } from '@hawser/core-kbind';

const LEASES: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** Three in each time that a Lease counts. */
export const HEARTBEAT_EVERY_MS = (leaseDurationSeconds * 1_000) / 3;

/**
 * Says on the provider that the consumer is alive (spec/kbind-v2.md §9.2): creates or renews its Lease. A provider that lets it write none is none that looks: whoever calls decides what a failure means.
 * @throws {ApiError}
 */
export async function beat(client: Client, consumerUID: string, nowMs: number, signal: AbortSignal): Promise<void> {
  const { namespace } = fixedNames;
  const name = heartbeatLeaseName(consumerUID);
  const renewTime = microTime(nowMs);
  const found = await getIfExists<KubeObject>(client, LEASES, { namespace, name }, { signal });
  if (found !== undefined) {
    const patch = {
      spec: { holderIdentity: consumerUID, leaseDurationSeconds, renewTime },
      metadata: { resourceVersion: found.metadata.resourceVersion },
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
    metadata: {
      name,
      namespace,
      labels: { [labels.managed]: 'true' },
      annotations: { [annotations.consumerClusterUID]: consumerUID },
    },
    spec: { holderIdentity: consumerUID, leaseDurationSeconds, acquireTime: renewTime, renewTime },
  };
  await client.create(LEASES, lease, { signal });
}

/** `metav1.MicroTime`. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
