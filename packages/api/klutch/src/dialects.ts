import type { KubeObject } from '@hawser/client';
import { type Dialect, isClusterNamespaceOf, kubeBindDialect } from '@hawser/kube-bind';
import { klutchDialect } from './dialect.js';
import { labels } from './metadata.js';
import { rootNamespaceName } from './names.js';

/** All that one provider can speak at a time. */
export const dialects: readonly Dialect[] = [kubeBindDialect, klutchDialect];

/**
 * Whether a namespace is the cluster namespace of a consumer, whatever that consumer speaks and however it came: it holds a credential, its name begins those of the consumer's objects, and it stands for
 * no namespace of anybody.
 */
export function isClusterNamespace(namespace: KubeObject): boolean {
  return dialects.some((dialect) => isClusterNamespaceOf(dialect, namespace)) || isRootNamespace(namespace);
}

/** Whether it is the one of an AppClusterBinding, whose labels other things bear, too. */
function isRootNamespace({ metadata }: KubeObject): boolean {
  const name = metadata.labels?.[labels.appClusterBindingName] ?? '';
  const namespace = metadata.labels?.[labels.appClusterBindingNamespace] ?? '';
  return name !== '' && namespace !== '' && metadata.name === rootNamespaceName(namespace, name);
}

/** Whether a namespace was made for a namespace of a consumer, whatever that consumer speaks. */
export function isServiceNamespace({ metadata: { annotations = {} } }: KubeObject): boolean {
  return dialects.some((dialect) => dialect.annotations.apiServiceNamespace in annotations);
}
