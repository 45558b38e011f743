/**
 * Target of a request. `workspace`: the path or the logical cluster in its address, or `*` for all that a virtual
 * workspace shows.
 */
export type Place = { readonly kind: 'service' } | { readonly kind: 'kcp'; readonly workspace: string };

/** A workspace by its logical cluster, and by its path if known. */
export interface Workspace {
  readonly cluster: string;
  readonly path: string | undefined;
}

export const service: Place = { kind: 'service' };

/** The place of an address in kcp, from the part after `/clusters/`. */
export function placeOfPath(path: string): Place {
  return { kind: 'kcp', workspace: /\/clusters\/(?<workspace>[^/]+)/u.exec(path)?.groups?.['workspace'] ?? '' };
}

/** The same text for the same place. */
export function placeId(place: Place): string {
  return place.kind === 'service' ? '' : place.workspace;
}

/** `on the service cluster`, or `in workspace root:org:team`. */
export function placeWords(place: Place, workspaces: readonly Workspace[]): string {
  if (place.kind === 'service') return 'on the service cluster';
  return `in workspace ${workspaceName(place.workspace, workspaces)}`;
}

/** The path of a workspace if known, else the name used so far. */
export function workspaceName(workspace: string, workspaces: readonly Workspace[]): string {
  return workspaces.find(({ cluster }) => cluster === workspace)?.path ?? workspace;
}
