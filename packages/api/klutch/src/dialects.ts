import type { KubeObject } from '@hawser/client';
import { type Dialect, isClusterNamespaceOf, kubeBindDialect } from '@hawser/kube-bind';
import { klutchDialect } from './dialect.js';
import { labels } from './metadata.js';
import { rootNamespaceName } from './names.js';

/** Every dialect; one provider speaks one at a time. */
export const dialects: readonly Dialect[] = [kubeBindDialect, klutchDialect];

/**
 * Whether a namespace is the cluster namespace of a consumer, in any dialect. Such a namespace holds a credential, and
 * its name is the prefix of the names of the consumer's objects. It is not the counterpart of a consumer namespace.
 */
export function isClusterNamespace(namespace: KubeObject): boolean {
  return dialects.some((dialect) => isClusterNamespaceOf(dialect, namespace)) || isRootNamespace(namespace);
}

/** Whether a namespace is the root namespace of an AppClusterBinding. Other objects carry its labels too. */
function isRootNamespace({ metadata }: KubeObject): boolean {
  const name = metadata.labels?.[labels.appClusterBindingName] ?? '';
  const namespace = metadata.labels?.[labels.appClusterBindingNamespace] ?? '';
  return name !== '' && namespace !== '' && metadata.name === rootNamespaceName(namespace, name);
}

/** Whether a namespace was made for a consumer namespace, in any dialect. */
export function isServiceNamespace({ metadata: { annotations = {} } }: KubeObject): boolean {
  return dialects.some((dialect) => dialect.annotations.apiServiceNamespace in annotations);
}
