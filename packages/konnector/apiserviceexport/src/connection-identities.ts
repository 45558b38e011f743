import type { Client } from '@hawser/client';
import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';

export interface Identities {
  readonly clusterNamespaceUid: string;
  readonly consumerCluster: string;
}

/** Who the two sides are: read once, live. */
export class ConnectionIdentities {
  readonly #consumer: Client;
  readonly #provider: Client;
  readonly #clusterNamespace: string;
  #known: Identities | undefined;

  constructor(consumer: Client, provider: Client, clusterNamespace: string) {
    this.#consumer = consumer;
    this.#provider = provider;
    this.#clusterNamespace = clusterNamespace;
  }

  async resolve(signal: AbortSignal): Promise<void> {
    if (this.#known !== undefined) return;
    const [clusterNamespaceUid, consumerCluster] = await Promise.all([
      readProviderIdentity(this.#provider, this.#clusterNamespace, signal),
      readConsumerIdentity(this.#consumer, signal),
    ]);
    this.#known = { clusterNamespaceUid, consumerCluster };
  }

  /** Once they are resolved. */
  get known(): Identities {
    if (this.#known === undefined) throw new Error('identities are resolved before syncs start');
    return this.#known;
  }
}
