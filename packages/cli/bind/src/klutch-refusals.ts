import type { Refusal } from './refusal.js';

/** Why Klutch takes on no consumer by a request. */
export const noWayInToKlutch: Refusal = {
  reason: 'OnboardingUnsupported',
  actor: 'provider',
  remedy:
    'hands out a kubeconfig for this cluster, for --provider-kubeconfig; or makes an AppClusterBinding, which serves it from beside the provider',
  message:
    'Klutch has no BindableResourcesRequest, nor anything else on the wire by which a cluster asks to become a consumer: its backend takes on whoever signs in with a browser.',
};

/** Why hawser makes no Klutch binding yet: the binding must say yes or no to each of these claims. */
export function claimsUndecided(name: string, claims: readonly string[]): Refusal {
  return {
    reason: 'ClaimsUndecided',
    actor: 'operator',
    remedy: 'says --claims=accept or --claims=reject, or binds from a terminal',
    message: `For ${name} the provider claims ${claims.join('; ')}, and without a terminal nobody can be asked to accept that.`,
  };
}
