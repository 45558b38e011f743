import type { KubeObject } from '@hawser/client';
import { type APIServiceNamespace, hawserAnnotations, labels, owners } from '@hawser/kube-bind';

/** The namespaces of the consumer that were made for one provider: how many may be bounded, so that a provider cannot fill the cluster with them. */
export class MadeNamespaces {
  /** Under way, or made and not seen yet. */
  readonly #making = new Set<string>();

  /**
   * Whether there is room for `name`, which counts from then on. `cached`: namespaces of the consumer; `identity`: the provider's. One that says no provider was made by
   * another konnector, and counts while the provider asks for it.
   */
  take(
    name: string,
    max: number,
    cached: readonly KubeObject[],
    identity: string,
    request: (name: string) => APIServiceNamespace | undefined,
  ): boolean {
    if (this.#making.has(name)) return true;
    const made = new Set([
      ...this.#making,
      ...cached.filter((namespace) => isMadeFor(namespace, identity, request)).map(({ metadata }) => metadata.name),
    ]);
    if (made.size >= max) return false;
    this.#making.add(name);
    return true;
  }

  /** It is in the cache, or was not made after all. */
  settled(name: string): void {
    this.#making.delete(name);
  }
}

function isMadeFor(
  { metadata: { name, labels: its, annotations } }: KubeObject,
  identity: string,
  request: (name: string) => APIServiceNamespace | undefined,
): boolean {
  if (its?.[labels.owner] !== owners.provider) return false;
  const provider = annotations?.[hawserAnnotations.providerIdentity];
  return provider === undefined
    ? request(name)?.metadata.labels?.[labels.owner] === owners.provider
    : provider === identity;
}
