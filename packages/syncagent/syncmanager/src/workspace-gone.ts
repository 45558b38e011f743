import { type Client, isNotFound } from '@hawser/client';
import { resources, workspacePath } from '@hawser/kcp-api';
import { type WorkspaceOrigin, endpointId } from '@hawser/syncagent-sync';
import type { Engagements } from './engagements.js';

/**
 * Whether kcp says that there is no workspace of this path any more, and the virtual workspace that showed its logical cluster is there, and shows it no more. Asked by name, kcp answers 403
 * whether a logical cluster is deleted, has unbound or is on a shard that cannot be reached; asked by path, it says 404, and that it is the workspace which is missing. That
 * alone is not a proof: the path may be that of another kcp, or of a shard that is away, so the shard that had it has to be here.
 */
export async function isWorkspaceGone(
  home: Client,
  engagements: Engagements,
  cluster: string,
  { path, endpoint }: WorkspaceOrigin,
  signal: AbortSignal,
): Promise<boolean> {
  // A name in place of a path is answered in another way.
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

/** Whether its virtual workspace is read, and no virtual workspace shows the logical cluster. */
function isUnseenAt(engagements: Engagements, endpoint: string, cluster: string): boolean {
  return (
    engagements.complete &&
    engagements.ready.some(({ url }) => endpointId(url) === endpoint) &&
    engagements.ready.every(({ workspaces }) => !workspaces.has(cluster))
  );
}
