import { isLogicalClusterName } from './names.js';

// spec/api-syncagent.md §4.1, §4.2, §5.2.

/** Why an address cannot be used. */
export class WorkspaceURLError extends Error {
  override readonly name = 'WorkspaceURLError';
}

/**
 * The workspace in a server URL: a path, or the name of a logical cluster.
 * @throws {WorkspaceURLError} unless it names exactly one.
 */
export function workspaceOfURL(server: string): string {
  const found = [...pathOf(server).matchAll(/\/clusters\/(?<workspace>[^/]+)/gu)].map(
    ({ groups }) => groups?.['workspace'] ?? '',
  );
  const [workspace] = found;
  if (workspace === undefined)
    throw new WorkspaceURLError(`the server URL names no workspace: it must contain /clusters/ and the path of one`);
  if (found.length > 1)
    throw new WorkspaceURLError(`the server URL names ${found.length} workspaces, it must name one`);
  return workspace;
}

/**
 * `server` with another workspace of the same kcp.
 * @throws {WorkspaceURLError} if it names no workspace, or `workspace` is invalid.
 */
export function withWorkspace(server: string, workspace: string): string {
  const present = workspaceOfURL(server);
  if (!/^[a-z0-9][a-z0-9:-]*$/u.test(workspace))
    throw new WorkspaceURLError(
      `${JSON.stringify(workspace)} is neither the path of a workspace nor a logical cluster`,
    );
  return present === workspace ? server : server.replace(`/clusters/${present}`, () => `/clusters/${workspace}`);
}

/** The base path of a workspace, for a client of the host. */
export function workspacePath(workspace: string): string {
  if (!/^[a-z0-9][a-z0-9:-]*$/u.test(workspace))
    throw new WorkspaceURLError(
      `${JSON.stringify(workspace)} is neither the path of a workspace nor a logical cluster`,
    );
  return `/clusters/${workspace}`;
}

/** Address of a slice's endpoint: the host, and the base path of its virtual workspace. */
export interface VirtualWorkspace {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
}

/**
 * Splits the URL of an endpoint.
 * @throws {WorkspaceURLError} if it is not an address.
 */
export function virtualWorkspaceOf(endpoint: string): VirtualWorkspace {
  const path = pathOf(endpoint).replace(/\/+$/u, '');
  return { origin: new URL(endpoint).origin, path };
}

/** The base path for lists and watches over all consumers of one shard. */
export function wildcardPath({ path }: Pick<VirtualWorkspace, 'path'>): string {
  return `${path}/clusters/*`;
}

/**
 * The base path for one consumer.
 * @throws {WorkspaceURLError} for anything but the name of a logical cluster: virtual workspaces know no paths.
 */
export function clusterPath({ path }: Pick<VirtualWorkspace, 'path'>, cluster: string): string {
  if (!isLogicalClusterName(cluster))
    throw new WorkspaceURLError(`${JSON.stringify(cluster)} is not a name of a logical cluster`);
  return `${path}/clusters/${cluster}`;
}

/** Never quotes the URL in errors: it may hold credentials. */
function pathOf(address: string): string {
  if (!URL.canParse(address)) throw new WorkspaceURLError('the address is not a URL');
  const { protocol, pathname } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new WorkspaceURLError(`the address has the scheme ${protocol} instead of https:`);
  return pathname;
}
