import type { KubeObject } from '@hawser/client';
import type { ClusterBinding } from './kinds/cluster-binding.js';
import { hawserAnnotations } from './metadata.js';

/** An annotation by which an operator governs the credential of a consumer. */
export type CredentialAnnotation = 'credential' | 'replaceCredential' | 'revokeCredential';

/**
 * Reads such an annotation: from the cluster namespace, else from the ClusterBinding. The namespace comes first because its consumer writes nothing of it. The status of the
 * ClusterBinding is the consumer's, and one that it has filled leaves no room for an annotation.
 */
export function credentialWord(
  annotation: CredentialAnnotation,
  namespace: KubeObject | undefined,
  binding: ClusterBinding | undefined,
): string | undefined {
  const key = hawserAnnotations[annotation];
  return namespace?.metadata.annotations?.[key] ?? binding?.metadata.annotations?.[key];
}
