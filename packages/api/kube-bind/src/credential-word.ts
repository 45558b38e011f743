import type { KubeObject } from '@hawser/client';
import type { ClusterBinding } from './kinds/cluster-binding.js';
import { hawserAnnotations } from './metadata.js';

/** An annotation with which an operator controls a consumer's credential. */
export type CredentialAnnotation = 'credential' | 'replaceCredential' | 'revokeCredential';

/**
 * Reads such an annotation: from the cluster namespace, else from the ClusterBinding. The namespace comes first because
 * the consumer cannot write it. The consumer writes the ClusterBinding's status and can fill it, which leaves no room
 * for an annotation.
 */
export function credentialWord(
  annotation: CredentialAnnotation,
  namespace: KubeObject | undefined,
  binding: ClusterBinding | undefined,
): string | undefined {
  const key = hawserAnnotations[annotation];
  return namespace?.metadata.annotations?.[key] ?? binding?.metadata.annotations?.[key];
}
