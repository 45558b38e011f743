/**
 * Target of a request. `workspace`: the path or the logical cluster in its address, or `*` for all that a virtual
 * workspace shows.
 */
export type RequestTarget = { readonly kind: 'service' } | { readonly kind: 'kcp'; readonly workspace: string };

/** A workspace by its logical cluster, and by its path if known. */
export interface Workspace {
  readonly cluster: string;
  readonly path: string | undefined;
}

export const service: RequestTarget = { kind: 'service' };

/** The target of an address in kcp, from the part after `/clusters/`. */
export function targetOfPath(path: string): RequestTarget {
  return { kind: 'kcp', workspace: /\/clusters\/(?<workspace>[^/]+)/u.exec(path)?.groups?.['workspace'] ?? '' };
}

/** The same text for the same target. */
export function targetId(target: RequestTarget): string {
  return target.kind === 'service' ? '' : target.workspace;
}

/** `on the service cluster`, or `in workspace root:org:team`. */
export function targetText(target: RequestTarget, workspaces: readonly Workspace[]): string {
  if (target.kind === 'service') return 'on the service cluster';
  return `in workspace ${workspaceName(target.workspace, workspaces)}`;
}

/** The path of a workspace if known, else the name used so far. */
export function workspaceName(workspace: string, workspaces: readonly Workspace[]): string {
  return workspaces.find(({ cluster }) => cluster === workspace)?.path ?? workspace;
}
