// Keys on objects (spec/klutch.md §3).

export const annotations = {
  /** On an APIServiceExport: `exportHash`. */
  sourceSpecHash: 'klutch.anynines.com/source-spec-hash',
  /** On a provider namespace: `<cluster namespace>/<consumer namespace>`. */
  apiServiceNamespace: 'klutch.anynines.com/api-service-namespace',
  /**
   * `true` on both sides of an instance: the consumer decides. Without it the object was made on the provider and must
   * be adopted.
   */
  bound: 'klutch.anynines.com/bound',
  /** On claimed objects, on both sides: `Provider` or `Consumer`. */
  resourceOwner: 'klutch.anynines.com/resource-owner',
  /** On a cluster-scoped provider copy. */
  clusterNamespace: 'klutch.anynines.com/cluster-namespace',
  /** On a cluster namespace: OIDC subject, `#`, cluster id. */
  identity: 'example-backend.klutch.anynines.com/identity',
} as const;

export const labels = {
  /** On the children of an AppClusterBinding. */
  appClusterBindingName: 'klutch.anynines.com/appclusterbinding-name',
  appClusterBindingNamespace: 'klutch.anynines.com/appclusterbinding-namespace',
} as const;

export const finalizers = {
  /** On a consumer object that has, or may have, a provider copy. */
  syncer: 'klutch.anynines.com/syncer',
  /** On an AppClusterBinding. */
  appClusterBindingCleanup: 'klutch.anynines.com/appclusterbinding-cleanup',
} as const;

/** Field manager of applies on the provider. */
export const fieldManager = 'klutch.anynines.com';
