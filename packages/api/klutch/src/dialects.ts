import type { KubeObject } from '@hawser/client';
import { type Dialect, isClusterNamespaceOf, kubeBindDialect } from '@hawser/kube-bind';
import { klutchDialect } from './dialect.js';

/** All that one provider can speak at a time. */
export const dialects: readonly Dialect[] = [kubeBindDialect, klutchDialect];

/** Whether a namespace is the cluster namespace of a consumer, whatever that consumer speaks: it holds a credential, and stands for no namespace of anybody. */
export function isClusterNamespace(namespace: KubeObject): boolean {
  return dialects.some((dialect) => isClusterNamespaceOf(dialect, namespace));
}

/** Whether a namespace was made for a namespace of a consumer, whatever that consumer speaks. */
export function isServiceNamespace({ metadata: { annotations = {} } }: KubeObject): boolean {
  return dialects.some((dialect) => dialect.annotations.apiServiceNamespace in annotations);
}
