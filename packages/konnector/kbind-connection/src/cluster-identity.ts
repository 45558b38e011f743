import {
  ApiError,
  type Client,
  type KubeObject,
  type Resource,
  getIfExists,
  isForbidden,
  isNotFound,
} from '@hawser/client';

const LOGICAL_CLUSTERS: Resource = { group: 'core.kcp.io', version: 'v1alpha1', resource: 'logicalclusters' };
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/**
 * Identity of the cluster behind a client: the uid of its LogicalCluster, else of `kube-system` (spec/kbind-v2.md §10).
 * Falls back to the namespace only if the server says that no LogicalCluster exists. A refused read must not change the
 * identity.
 * @throws {ApiError} if neither can be read.
 */
export async function readClusterIdentity(client: Client, signal: AbortSignal): Promise<string> {
  const logical = await readLogicalCluster(client, signal);
  if (logical?.metadata.uid !== undefined) return logical.metadata.uid;
  const { metadata } = await client.get<KubeObject>(
    NAMESPACES,
    { name: 'kube-system' },
    { representation: 'metadata', signal },
  );
  return metadata.uid ?? '';
}

/** Error of a request to a provider at whose address another cluster answers. It may pass. */
export function otherCluster(connection: string): ApiError {
  const request = { cluster: 'provider', verb: 'get', resource: NAMESPACES.resource, name: 'kube-system' };
  return new ApiError('Unreachable', `another cluster answers at the address of Connection ${connection}`, request);
}

/** RBAC also refuses unserved resources. After a refusal, discovery tells: every authenticated user may read it. */
async function readLogicalCluster(client: Client, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await getIfExists<KubeObject>(
      client,
      LOGICAL_CLUSTERS,
      { name: 'cluster' },
      { representation: 'metadata', signal },
    );
  } catch (error) {
    // A plain cluster says that the kind does not exist.
    if (isNotFound(error)) return undefined;
    if (!isForbidden(error) || (await serves(client, LOGICAL_CLUSTERS, signal))) throw error;
    return undefined;
  }
}

async function serves(client: Client, { group, version }: Resource, signal: AbortSignal): Promise<boolean> {
  try {
    await client.raw('GET', `/apis/${group}/${version}`, undefined, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
