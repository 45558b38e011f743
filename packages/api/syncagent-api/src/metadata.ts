// Keys on objects (spec/api-syncagent.md §2.11, §19.1).

export const labels = {
  /** On an APIResourceSchema, and on a copy of a published object: the name of the agent. */
  agentName: 'syncagent.kcp.io/agent-name',
  /** On a copy and on a state Secret: the logical cluster of the object. */
  remoteCluster: 'syncagent.kcp.io/remote-object-cluster',
  /** Likewise: SHA-1 of its namespace; absent for a cluster-scoped object. */
  remoteNamespaceHash: 'syncagent.kcp.io/remote-object-namespace-hash',
  /** Likewise: SHA-1 of its name. */
  remoteNameHash: 'syncagent.kcp.io/remote-object-name-hash',
  /** `true` on a state Secret. */
  objectState: 'syncagent.kcp.io/object-state',
} as const;

export const annotations = {
  /** On an APIResourceSchema and an APIExport: the name of the agent. */
  agentName: 'syncagent.kcp.io/agent-name',
  /** On an APIResourceSchema: generation of its source CRD; 0 without a CRD. */
  sourceGeneration: 'syncagent.kcp.io/source-generation',
  /** On a copy of a published object: the namespace of the object in kcp; absent for a cluster-scoped one. */
  remoteNamespace: 'syncagent.kcp.io/remote-object-namespace',
  /** Likewise: its name. */
  remoteName: 'syncagent.kcp.io/remote-object-name',
  /** Likewise: the path of its workspace, where workspace paths are enabled. */
  remoteWorkspacePath: 'syncagent.kcp.io/remote-object-workspace-path',
} as const;

/** On an object in kcp that has, or may have, a copy on the service cluster. */
export const cleanupFinalizer = 'syncagent.kcp.io/cleanup';

/** Prefix of the annotations on a published object in kcp that name its related objects; see {@link relatedAnnotation}. */
export const relatedAnnotationPrefix = 'related-resources.syncagent.kcp.io/';

/** Prefix of every annotation that only Hawser writes. */
export const hawserPrefix = 'hawser.dev/';

/** Annotations of Hawser's own, on a PublishedResource; `paused` on an object in kcp as well. */
export const hawserAnnotations = {
  /** `Safe`, `Always` or `Never`: what to do with a changed CRD. */
  schemaUpdate: 'hawser.dev/schema-update',
  /** `refuse`, `adopt` or `overwrite`: what to do with an object that takes the place of a copy. */
  adoption: 'hawser.dev/adoption',
  /** Any value: the agent writes nothing for the objects, or for this one. */
  paused: 'hawser.dev/paused',
  /** When a person last asked to retry everything at once. */
  retryAt: 'hawser.dev/retry-at',
} as const;

/** Key of the annotation that names the object at `index` of a related entry, on the published object in kcp. */
export function relatedAnnotation(identifier: string, index: number): string {
  return `${relatedAnnotationPrefix}${identifier}.${index}`;
}

/** Names that are the same in every installation. */
export const fixedNames = {
  /** The agent name that `hawser pubres` fills in. */
  toolkitAgent: 'pubres-toolkit',
} as const;

/** Name of an agent's Lease, in the namespace of the agent. */
export function leaseName(agentName: string): string {
  return `syncagent.${agentName}`;
}
