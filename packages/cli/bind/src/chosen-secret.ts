import { type APIServiceBinding, appliedKubeconfigSecretName } from '@hawser/kube-bind';
import type { KubeconfigSecret, Observed } from './observed.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';

export interface ChosenSecret {
  readonly name: string;
  readonly found: KubeconfigSecret | undefined;
}

/**
 * Chooses the Secret: the named one; else that of the binding; else one that reaches the same connection
 * (spec/kube-bind-cli-and-charts.md §6.1); else a new one.
 */
export function chooseSecret(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
): ChosenSecret {
  const bound = binding?.spec?.kubeconfigSecretRef;
  const named =
    wish.secretName ?? (bound?.namespace === dialectOf(wish).names.konnectorNamespace ? bound.name : undefined);
  const alike = observed.secrets.filter((secret) => reachesSame(secret, wish, observed));
  const name =
    named ??
    (alike.find(({ isSame }) => isSame) ?? alike[0])?.name ??
    appliedKubeconfigSecretName(isInline(wish) ? wish.clusterNamespace : wish.name);
  return { name, found: observed.secrets.find((secret) => secret.name === name) };
}

export function reachesSame(
  { reaches }: KubeconfigSecret,
  { clusterNamespace }: BindingWish,
  { server }: Observed,
): boolean {
  return reaches !== undefined && reaches.clusterNamespace === clusterNamespace && reaches.server === server;
}
