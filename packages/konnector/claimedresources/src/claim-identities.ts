import type { Client } from '@hawser/client';
import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';

import type { PairSettings } from './observed.js';

/** Who the two sides of a connection are. */
export type KnownIdentities = Pick<PairSettings, 'clusterNamespaceUid' | 'consumerCluster'>;

/** Reads who the two sides are: live, once, and again when another cluster may have taken the place of one. */
export class ClaimIdentities {
  readonly #consumer: Client;
  readonly #provider: Client;
  readonly #clusterNamespace: string;
  #known: KnownIdentities | undefined;
  /** uids of bindings that were there when the identities were read. Others may have come with another cluster. */
  #identified: ReadonlySet<string> = new Set();

  constructor(consumer: Client, provider: Client, clusterNamespace: string) {
    this.#consumer = consumer;
    this.#provider = provider;
    this.#clusterNamespace = clusterNamespace;
  }

  get known(): KnownIdentities | undefined {
    return this.#known;
  }

  /** Whether they are to be read again before bindings with these uids are served. */
  isDoubted(uids: ReadonlySet<string>): boolean {
    return this.#known !== undefined && [...uids].some((uid) => !this.#identified.has(uid));
  }

  /** The bindings with these uids are there, now that the identities were read. */
  identified(uids: ReadonlySet<string>): void {
    this.#identified = uids;
  }

  /** One of the clusters is said to be another. */
  doubt(): void {
    this.#identified = new Set();
  }

  async resolve(signal: AbortSignal): Promise<KnownIdentities> {
    return (this.#known ??= await this.read(signal));
  }

  async read(signal: AbortSignal): Promise<KnownIdentities> {
    const [clusterNamespaceUid, consumerCluster] = await Promise.all([
      readProviderIdentity(this.#provider, this.#clusterNamespace, signal),
      readConsumerIdentity(this.#consumer, signal),
    ]);
    return { clusterNamespaceUid, consumerCluster };
  }

  /** Whether these are the ones that are known. */
  areKnown({ consumerCluster, clusterNamespaceUid }: KnownIdentities): boolean {
    return consumerCluster === this.#known?.consumerCluster && clusterNamespaceUid === this.#known.clusterNamespaceUid;
  }

  /** From now on. */
  set(now: KnownIdentities): void {
    this.#known = now;
  }
}
