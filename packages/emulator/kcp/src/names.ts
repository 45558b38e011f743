/** Annotations, labels and finalizers that kcp sets (spec/api-syncagent.md §3.7, and as recorded). */
export const CLUSTER = 'kcp.io/cluster';
export const PATH = 'kcp.io/path';
export const SHARD = 'core.kcp.io/shard';
/** The logical cluster assigned to a workspace. */
export const ASSIGNED = 'internal.tenancy.kcp.io/cluster';
export const OWNER = 'experimental.tenancy.kcp.io/owner';
export const PHASE = 'tenancy.kcp.io/phase';
/** On a LogicalCluster: its object limit. */
export const MAX_OBJECTS = 'core.kcp.io/max-total-objects';
export const EXPORT = 'internal.apis.kcp.io/export';
export const CLAIMED = 'claimed.internal.apis.kcp.io/';
export const SKIP_ENDPOINT_SLICE = 'apiexports.apis.kcp.io/skip-endpointslice';
export const WORKSPACE_FINALIZER = 'core.kcp.io/logicalcluster';
export const LOGICAL_CLUSTER_FINALIZER = 'core.kcp.io/logicalcluster-deletion';
export const BINDING_FINALIZER = 'apis.kcp.io/apibinding-finalizer';
