export const resourceScopes = ['Cluster', 'Namespaced'] as const;
/** Scope of a kind: namespaced or cluster-wide. */
export type ResourceScope = (typeof resourceScopes)[number];
