import type { KubeObject } from '@hawser/client';
import { type ClusterBinding, credentialWord } from '@hawser/kube-bind';

/** What kind of token a consumer has. */
export type CredentialMode =
  /** The token of a Secret: it never expires. What every konnector can live with, and the default. */
  | 'Legacy'
  /** A token that expires and is refreshed at half its life. Only for a konnector that rotates well. */
  | 'Rotating';

/** What the operator wants for a consumer; undefined if it is something that nobody knows. */
export function wantedMode(namespace: KubeObject | undefined, binding: ClusterBinding): CredentialMode | undefined {
  const value = credentialWord('credential', namespace, binding) ?? 'Legacy';
  return value === 'Legacy' || value === 'Rotating' ? value : undefined;
}
