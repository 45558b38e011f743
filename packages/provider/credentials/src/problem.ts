import type { EventMessage } from '@hawser/telemetry';

/** Why a consumer's credential is not in order. Closed. */
export type Problem =
  | { readonly kind: 'modeUnknown'; readonly value: string }
  | { readonly kind: 'secretConflict'; readonly name: string }
  | { readonly kind: 'secretNameReserved'; readonly name: string }
  | { readonly kind: 'tokenNotIssued'; readonly name: string }
  | { readonly kind: 'refused'; readonly message: string };

/** The Event for a problem: what is wrong, who must act, and what to do. */
export function problemEvent(problem: Problem): EventMessage {
  switch (problem.kind) {
    case 'modeUnknown':
      return warning(
        'CredentialModeUnknown',
        `The annotation hawser.dev/credential says "${problem.value.slice(0, 64)}", which is neither Legacy nor Rotating; the credential stays as it is. The provider has to correct it.`,
      );
    case 'secretConflict':
      return warning(
        'CredentialConflict',
        `Secret "${problem.name}" is in the way: it is not a credential of this consumer, and is not taken over. The provider has to remove it.`,
      );
    case 'secretNameReserved':
      return warning(
        'CredentialConflict',
        `The ClusterBinding wants its kubeconfig in Secret "${problem.name}", where the token is kept. The provider has to make the ClusterBinding anew with another name in kubeconfigSecretRef.`,
      );
    case 'tokenNotIssued':
      return warning(
        'CredentialNotIssued',
        `Kubernetes has not put a token into Secret "${problem.name}". The provider has to see whether the token controller of its kube-controller-manager runs.`,
      );
    case 'refused':
      return warning(
        'CredentialRefused',
        `The provider's API server refused a request: ${problem.message}. The provider has to remove the cause; it is tried again.`,
      );
  }
}

function warning(reason: string, message: string): EventMessage {
  return { type: 'Warning', reason, message };
}
