import type { KubeObject } from '@hawser/client';

// spec/api-syncagent.md §3.1, §3.5, §3.7.

/** Annotations that kcp sets, or obeys. */
export const annotations = {
  /** On every object read from kcp: the logical cluster that it lives in. */
  cluster: 'kcp.io/cluster',
  /** On a LogicalCluster, an APIExport and a few others: the path of the workspace. */
  path: 'kcp.io/path',
  /** On an APIExport: kcp makes no endpoint slice of the same name. */
  skipEndpointSlice: 'apiexports.apis.kcp.io/skip-endpointslice',
  /** On an APIExport read as v1alpha1: resources that v1alpha1 cannot express. */
  resourceSchemas: 'apis.v1alpha2.kcp.io/resource-schemas',
  /** On an APIExport read as v1alpha1: its claims with other verbs than `*`. */
  permissionClaims: 'apis.v1alpha2.kcp.io/permission-claims',
  /** On an APIExport read as v1alpha2: the claims as v1alpha1 has them. */
  v1alpha1PermissionClaims: 'apis.v1alpha2.kcp.io/v1alpha1-permission-claims',
} as const;

/** Prefix of the labels that kcp puts on objects made visible by an accepted claim. */
export const claimedLabelPrefix = 'claimed.internal.apis.kcp.io/';

/** Name of the one LogicalCluster in every workspace. */
export const logicalClusterName = 'cluster';

/** The logical cluster that an object was read from; undefined if it does not come from kcp. */
export function clusterNameOf(object: KubeObject): string | undefined {
  return nonEmpty(object.metadata.annotations?.[annotations.cluster]);
}

/** The path of the workspace of a LogicalCluster, or of an APIExport; undefined if kcp has not written it yet. */
export function workspacePathOf(object: KubeObject): string | undefined {
  return nonEmpty(object.metadata.annotations?.[annotations.path]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
