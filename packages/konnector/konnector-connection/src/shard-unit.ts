import type { SecretKeyRef } from './connection.js';

/** The unit of what concerns the consumer as such, whatever its bindings are, when several konnectors share the work. */
export const consumerUnit = 'consumer';

/**
 * The unit of work to which bindings, bundles and labelled Secrets belong: that of the Secret with their kubeconfig, which they cannot exchange for another
 * (`spec/kube-bind-api.md`, ClusterSecretKeyRef). So a kubeconfig that changes moves nothing. What names no Secret is the consumer's.
 */
export function unitOf(secret: Pick<SecretKeyRef, 'namespace' | 'name'> | undefined): string {
  return secret === undefined ? consumerUnit : `secret/${secret.namespace}/${secret.name}`;
}
