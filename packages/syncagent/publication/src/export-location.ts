import { type Client, type Hosts, getIfExists } from '@hawser/client';
import {
  type APIExport,
  type APIExportEndpointSlice,
  type LogicalCluster,
  clusterNameOf,
  logicalClusterName,
  resources,
  workspaceOfURL,
  workspacePath,
  workspacePathOf,
} from '@hawser/kcp-api';

/** A workspace, and a client for it. */
export interface LocatedWorkspace {
  readonly client: Client;
  /** Name of the logical cluster. */
  readonly cluster: string;
  readonly path: string | undefined;
}

/** The target of an endpoint slice. */
export interface ExportLocation {
  readonly exportName: string;
  /** As read. */
  readonly slice: APIExportEndpointSlice;
  /** Workspace of the APIExport and its schemas. */
  readonly provider: LocatedWorkspace;
  /** Workspace of the endpoint slice; often the same. */
  readonly endpoints: LocatedWorkspace;
}

/** Something is missing where the operator's settings point. The message says who must do what. */
export class ExportLocationError extends Error {
  override readonly name = 'ExportLocationError';
}

/**
 * Finds the APIExport of an endpoint slice (`spec/api-syncagent.md §5.2`).
 * @param server of the kubeconfig: it points at the workspace of the slice, and `hosts.home` is a client for it.
 * @throws {ExportLocationError} where something is missing; {WorkspaceURLError} for a server that is not a workspace;
 * {ApiError} for all else.
 */
export async function locateExport(
  hosts: Hosts,
  server: string,
  sliceName: string,
  signal?: AbortSignal,
): Promise<ExportLocation> {
  const workspace = workspaceOfURL(server);
  const { home } = hosts;
  // In parallel: each sequential wait delays the start.
  const asked = workspaceBehind(home, signal);
  asked.catch(() => undefined);
  const slice = await getIfExists<APIExportEndpointSlice>(
    home,
    resources.apiExportEndpointSlices,
    { name: sliceName },
    { signal },
  );
  if (slice?.spec === undefined)
    throw new ExportLocationError(
      `there is no APIExportEndpointSlice ${sliceName} in workspace ${workspace}. The operator must create it, or name another.`,
    );
  const endpoints = await asked;
  const { name: exportName, path = '' } = slice.spec.export;
  // Both may be a path or a name; compared as text only to save a client.
  const client = path === '' || path === workspace ? home : hosts.at(new URL(workspacePath(path), server).href);
  const provider = client === home ? endpoints : await workspaceBehind(client, signal);
  if ((await getIfExists<APIExport>(client, resources.apiExports, { name: exportName }, { signal })) === undefined) {
    throw new ExportLocationError(
      `there is no APIExport ${exportName} in workspace ${provider.path ?? provider.cluster}, where APIExportEndpointSlice ${sliceName} says it is. The provider must create it, or the operator name another slice.`,
    );
  }
  return { exportName, slice, provider, endpoints: provider.cluster === endpoints.cluster ? provider : endpoints };
}

async function workspaceBehind(client: Client, signal: AbortSignal | undefined): Promise<LocatedWorkspace> {
  const self = await client.get<LogicalCluster>(resources.logicalClusters, { name: logicalClusterName }, { signal });
  const cluster = clusterNameOf(self);
  if (cluster === undefined)
    throw new ExportLocationError(
      'the server of the kcp kubeconfig does not say in which logical cluster its objects are, so it is not kcp. The operator must correct it.',
    );
  return { client, cluster, path: workspacePathOf(self) };
}
