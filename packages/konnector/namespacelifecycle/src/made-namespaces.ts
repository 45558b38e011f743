import type { KubeObject } from '@hawser/client';
import { type APIServiceNamespace, hawserAnnotations, labels, owners } from '@hawser/kube-bind';

/** Counts consumer namespaces made for one provider. A limit prevents a provider from filling the cluster with them. */
export class MadeNamespaces {
  readonly #making = new Set<string>();

  /** Counts a namespace during its creation. The cache has it afterwards. */
  async making(name: string, make: () => Promise<void>): Promise<void> {
    this.#making.add(name);
    try {
      await make();
    } finally {
      this.#making.delete(name);
    }
  }

  /**
   * Counts the namespaces besides `name`. `cached`: namespaces of the consumer; `identity`: the provider's. One without
   * a provider mark was made by another konnector, and counts while the provider asks for it.
   */
  besides(
    name: string,
    cached: readonly KubeObject[],
    identity: string,
    request: (name: string) => APIServiceNamespace | undefined,
  ): number {
    const made = new Set([
      ...this.#making,
      ...cached.filter((namespace) => isMadeFor(namespace, identity, request)).map(({ metadata }) => metadata.name),
    ]);
    made.delete(name);
    return made.size;
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
