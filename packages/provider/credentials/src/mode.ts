import type { KubeObject } from '@hawser/client';
import { type ClusterBinding, credentialWord } from '@hawser/kube-bind';

/** Kind of a consumer's token. */
export type CredentialMode =
  /** The token of a Secret: it never expires. Works with every konnector; the default. */
  | 'Legacy'
  /** A token that expires and is refreshed at half its life. Only for a konnector that handles rotation. */
  | 'Rotating';

/** The operator's mode for a consumer; undefined: an unknown value. */
export function wantedMode(namespace: KubeObject | undefined, binding: ClusterBinding): CredentialMode | undefined {
  const value = credentialWord('credential', namespace, binding) ?? 'Legacy';
  return value === 'Legacy' || value === 'Rotating' ? value : undefined;
}
