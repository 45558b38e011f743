import type { KubeObject } from '@hawser/client';
import { sha1Hex } from './hash/sha1.js';
import { annotations, labels } from './metadata.js';

/**
 * Identity of an object in kcp: its logical cluster, and its key there. `namespace` is absent for a cluster-scoped one.
 */
export interface RemoteIdentity {
  readonly cluster: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * Labels that find a copy or a state Secret again (spec/api-syncagent.md §11.1). They alone identify the owner of a
 * copy; the agent's name plays no part.
 */
export function identityLabels({ cluster, namespace, name }: RemoteIdentity): Readonly<Record<string, string>> {
  return {
    [labels.remoteCluster]: cluster,
    ...(isEmpty(namespace) ? {} : { [labels.remoteNamespaceHash]: sha1Hex(namespace) }),
    [labels.remoteNameHash]: sha1Hex(name),
  };
}

/** Annotations that say the same in clear text. `workspacePath`: where workspace paths are enabled. */
export function identityAnnotations(
  { namespace, name }: RemoteIdentity,
  workspacePath?: string,
): Readonly<Record<string, string>> {
  return {
    ...(isEmpty(namespace) ? {} : { [annotations.remoteNamespace]: namespace }),
    [annotations.remoteName]: name,
    ...(isEmpty(workspacePath) ? {} : { [annotations.remoteWorkspacePath]: workspacePath }),
  };
}

/** Label selector for the copy of one object. For a cluster-scoped object it excludes copies of namespaced ones. */
export function identitySelector(identity: RemoteIdentity): string {
  const equal = Object.entries(identityLabels(identity)).map(([key, value]) => `${key}=${value}`);
  return [...equal, ...(isEmpty(identity.namespace) ? [`!${labels.remoteNamespaceHash}`] : [])].join(',');
}

/**
 * The object that a copy belongs to. Undefined if its labels and annotations do not say, or contradict each other:
 * edited annotations cannot lead to another object than the labels do.
 */
export function identityOf(copy: KubeObject): RemoteIdentity | undefined {
  const { labels: has = {}, annotations: existing = {} } = copy.metadata;
  const cluster = has[labels.remoteCluster];
  const namespace = existing[annotations.remoteNamespace];
  const name = existing[annotations.remoteName];
  if (isEmpty(cluster) || isEmpty(name)) return undefined;
  const identity: RemoteIdentity = isEmpty(namespace) ? { cluster, name } : { cluster, namespace, name };
  const expected = identityLabels(identity);
  const agrees = [labels.remoteNameHash, labels.remoteNamespaceHash].every(
    (key) => (has[key] ?? '') === (expected[key] ?? ''),
  );
  return agrees ? identity : undefined;
}

function isEmpty(text: string | undefined): text is undefined | '' {
  return text === undefined || text === '';
}
