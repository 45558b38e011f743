// Keys on objects, and well-known names of both sides (spec/kbind-v2.md §4).

export const labels = {
  /** `true` on a CRD that the provider offers. Any other value is ignored. */
  exported: 'core.kbind.io/exported',
  /**
   * `true` on everything the konnector creates: bound CRDs, copies, related copies, namespaces, the Lease, the
   * ClusterBinding of `autoBind`.
   */
  managed: 'core.kbind.io/managed',
} as const;

export const annotations = {
  /** On a consumer CRD: the Connection of its objects. */
  connection: 'core.kbind.io/connection',
  /** On a consumer CRD: `schemaHash` of the installed schema. */
  schemaHash: 'core.kbind.io/schema-hash',
  /** On a copy, a related copy, the Lease, and a namespace made for a related object: the pinned uid of the consumer cluster. On a namespace made for an object it is a label. */
  consumerClusterUID: 'core.kbind.io/consumer-cluster-uid',
  /** On a copy: uid of the consumer object. */
  consumerObjectUID: 'core.kbind.io/consumer-object-uid',
  /** On a related copy: uid of the binding. */
  relatedBinding: 'core.kbind.io/related-binding',
  /** On a consumer object: why Hawser does not sync it, a {@link ConflictReason}. */
  conflict: 'core.kbind.io/conflict',
  /** On a Connection, Hawser's own, set by its operator; see `allowedNamespaces`. */
  allowedNamespaces: 'hawser.dev/allowed-namespaces',
  /** On a ClusterBinding or Binding, Hawser's own, set by a person; see `objectSelector`. */
  objectSelector: 'hawser.dev/object-selector',
  /**
   * On a consumer object that has, or may have, a copy; Hawser's own: the Connection that leads to its copy. Without
   * it, the Connection of the CRD counts, as in the contract.
   */
  servedBy: 'hawser.dev/connection',
  /** On a consumer object, set by a person; see `orphansCopy`. */
  deletionPolicy: 'core.kbind.io/deletion-policy',
} as const;

/** On a consumer object, Hawser's own: progress of its move from one Connection to another. */
export const moveAnnotations = {
  /** Set by a person or `hawser move`: the Connection to move to. The konnector prepares a copy there. */
  to: 'hawser.dev/move-to',
  /** Set by the konnector: the Connection whose prepared copy has caught up with the served one. */
  ready: 'hawser.dev/move-ready',
  /**
   * Set together with the new `hawser.dev/connection`: the Connection whose former copy must go. The konnector removes
   * the annotation once that copy is gone.
   */
  from: 'hawser.dev/moved-from',
  /**
   * Set by a person or `hawser move --undo`: the Connection whose prepared copy must go. The konnector removes the
   * annotation once that copy is gone.
   */
  undo: 'hawser.dev/move-undo',
} as const;

export const finalizers = {
  /** On a consumer object that has, or may have, a copy. */
  syncer: 'core.kbind.io/syncer',
  /** On Connections, ClusterBindings and Bindings, and on the Secret of a Connection. */
  cleanup: 'core.kbind.io/cleanup',
} as const;

export const fieldManagers = {
  objects: 'kbind-konnector',
  related: 'kbind-konnector-related',
} as const;

export const fixedNames = {
  /** On the provider: namespace of the Lease. On the consumer, by convention: of the konnector and its Secrets. */
  namespace: 'kbind',
  /** Lease of the konnector's leader election. */
  konnectorLease: 'konnector.kbind.io',
  /** Reporter of Events. */
  component: 'kbind-konnector',
  kubeconfigKey: 'kubeconfig',
} as const;

/** Seconds for which a heartbeat counts. */
export const leaseDurationSeconds = 60;

/** Name of the Lease that shows a provider that the consumer cluster of that uid is alive (spec/kbind-v2.md §9.2). */
export function heartbeatLeaseName(consumerClusterUID: string): string {
  return `consumer-${consumerClusterUID}`;
}

/**
 * Why Hawser does not sync an object: an object without an owner, or of another owner, takes the name of its copy
 * (spec/kbind-v2.md §17.3).
 */
export type ConflictReason = 'ForeignObjectExists' | 'OwnedByAnother';
