// Keys on objects, and names that both sides know without asking (spec/kbind-v2.md §4).

export const labels = {
  /** `true` on a CRD that the provider offers. Another value says nothing. */
  exported: 'core.kbind.io/exported',
  /** `true` on what the konnector has made: bound CRDs, copies, related copies, namespaces, the Lease, the ClusterBinding of `autoBind`. */
  managed: 'core.kbind.io/managed',
} as const;

export const annotations = {
  /** On a consumer CRD: the Connection that its objects belong to. */
  connection: 'core.kbind.io/connection',
  /** On a consumer CRD: `schemaHash` of what was installed. */
  schemaHash: 'core.kbind.io/schema-hash',
  /** On a copy, a related copy, the Lease, and a namespace made for a related object: the pinned uid of the consumer cluster. On a namespace made for an object it is a label. */
  consumerClusterUID: 'core.kbind.io/consumer-cluster-uid',
  /** On a copy: uid of the consumer object. */
  consumerObjectUID: 'core.kbind.io/consumer-object-uid',
  /** On a related copy: uid of the binding. */
  relatedBinding: 'core.kbind.io/related-binding',
  /** On a consumer object: why it is not synced, a {@link ConflictReason}. */
  conflict: 'core.kbind.io/conflict',
  /** On a Connection, set by its operator, and ours alone; see `allowedNamespaces`. */
  allowedNamespaces: 'hawser.dev/allowed-namespaces',
  /** On a ClusterBinding or Binding, set by a person, and ours alone; see `objectSelector`. */
  objectSelector: 'hawser.dev/object-selector',
  /** On a consumer object that has, or may have, a copy, and ours alone: the Connection that leads to its copy. Where it is missing, that of the CRD does, as in the contract. */
  servedBy: 'hawser.dev/connection',
  /** On a consumer object, set by a person; see `orphansCopy`. */
  deletionPolicy: 'core.kbind.io/deletion-policy',
} as const;

/** On a consumer object, ours alone: how far its move from one Connection to another is. */
export const moveAnnotations = {
  /** Set by a person, or `hawser move`: the Connection to which it is to move. A copy is prepared there. */
  to: 'hawser.dev/move-to',
  /** Written by the konnector: the Connection at which the copy is as far as the one that is served. */
  ready: 'hawser.dev/move-ready',
  /** Set together with the new `hawser.dev/connection`: the Connection at which the former copy goes. The konnector takes it away when that is gone. */
  from: 'hawser.dev/moved-from',
  /** Set by a person, or `hawser move --undo`: the Connection at which the prepared copy goes. The konnector takes it away when that is gone. */
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
  /** On the provider: of the Lease. On the consumer, by convention: of the konnector and its Secrets. */
  namespace: 'kbind',
  /** Of the konnector's election. */
  konnectorLease: 'konnector.kbind.io',
  /** Who reports Events. */
  component: 'kbind-konnector',
  kubeconfigKey: 'kubeconfig',
} as const;

/** How long a heartbeat counts, in seconds. */
export const leaseDurationSeconds = 60;

/** The Lease by which a provider sees that the consumer cluster of that uid is alive (spec/kbind-v2.md §9.2). */
export function heartbeatLeaseName(consumerClusterUID: string): string {
  return `consumer-${consumerClusterUID}`;
}

/** Why an object is not synced: what stands in the place of its copy is nobody's, or somebody else's (spec/kbind-v2.md §17.3). */
export type ConflictReason = 'ForeignObjectExists' | 'OwnedByAnother';
