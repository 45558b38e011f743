import type { SecretKeyRef } from './connection.js';

/** Unit of work that concerns the consumer as a whole, when several konnectors share the work. */
export const consumerUnit = 'consumer';

/**
 * The unit of work of bindings, bundles and labelled Secrets: that of the Secret with their kubeconfig, which they
 * cannot change (`spec/kube-bind-api.md`, ClusterSecretKeyRef). So a changed kubeconfig moves no work. Without a Secret
 * it is the consumer's unit.
 */
export function unitOf(secret: Pick<SecretKeyRef, 'namespace' | 'name'> | undefined): string {
  return secret === undefined ? consumerUnit : `secret/${secret.namespace}/${secret.name}`;
}
