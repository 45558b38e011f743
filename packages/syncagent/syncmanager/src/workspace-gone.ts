import { type Client, isNotFound } from '@hawser/client';
import { resources, workspacePath } from '@hawser/kcp-api';
import { type WorkspaceOrigin, endpointId } from '@hawser/syncagent-sync';
import type { Engagements } from './engagements.js';

/**
 * Proves that a workspace is gone: kcp has no workspace of this path, and the virtual workspace that showed its logical
 * cluster exists and shows it no more. By name, kcp answers 403 for a logical cluster that is deleted, unbound or on an
 * unreachable shard. By path, it answers 404 and names the workspace as missing. That alone proves nothing: the path
 * may belong to another kcp, or to an absent shard. So the shard that had it must be here.
 */
export async function isWorkspaceGone(
  home: Client,
  engagements: Engagements,
  cluster: string,
  { path, endpoint }: WorkspaceOrigin,
  signal: AbortSignal,
): Promise<boolean> {
  // kcp answers differently for a name in place of a path.
  if (!path.includes(':') || !isUnseenAt(engagements, endpoint, cluster)) return false;
  try {
    await home
      .at(workspacePath(path))
      .get(resources.logicalClusters, { name: 'cluster' }, { representation: 'metadata', signal });
    return false;
  } catch (error) {
    const { kind, group, name } = (isNotFound(error) ? error.status?.details : undefined) ?? {};
    return (
      kind === resources.workspaces.resource &&
      group === resources.workspaces.group &&
      name === path &&
      isUnseenAt(engagements, endpoint, cluster)
    );
  }
}

/** Whether its virtual workspace is readable, and no virtual workspace shows the logical cluster. */
function isUnseenAt(engagements: Engagements, endpoint: string, cluster: string): boolean {
  return (
    engagements.complete &&
    engagements.ready.some(({ url }) => endpointId(url) === endpoint) &&
    engagements.ready.every(({ workspaces }) => !workspaces.has(cluster))
  );
}
