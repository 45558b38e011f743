import type { ProviderConnection } from '../connection.js';
import { type MutableServedBindings, type ServedBindings, createServedBindings } from '../served-bindings.js';

/** A connection without Secrets, to a provider that no request may reach by its address. */
export function connectionTo(
  clusterNamespace: string,
  bindings: ServedBindings,
): ProviderConnection & { readonly bundles: MutableServedBindings } {
  return {
    hash: clusterNamespace,
    config: { server: 'https://provider.invalid', credentials: { kind: 'none' } },
    clusterNamespace,
    bindings,
    bundles: createServedBindings(),
    secrets: () => [],
  };
}
