export const resourceScopes = ['Cluster', 'Namespaced'] as const;
/** Whether objects of a kind stand in namespaces. */
export type ResourceScope = (typeof resourceScopes)[number];
