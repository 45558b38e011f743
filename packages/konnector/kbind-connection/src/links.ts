import type { Cluster } from '@hawser/controller';
import { labels } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { InformerHandle, Subscription } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { readClusterIdentity } from './cluster-identity.js';
import { OpenAPIOffers } from './openapi-offers.js';

/** What a provider offers, as CRDs. */
export interface Offers {
  get(key: { readonly name: string }): CustomResourceDefinition | undefined;
  list(): readonly CustomResourceDefinition[];
  /** All of it was read at least once. */
  readonly hasSynced: boolean;
  /** Why it cannot be read now; undefined: it can. */
  readonly failure: unknown;
}

/** Where a provider's offers come from. */
export type OffersSource = 'CRD' | 'OpenAPI';

/** A provider that was opened. */
export interface OpenedProvider {
  readonly cluster: Cluster;
  /** Resolves when no socket, timer or watch of it is left. */
  readonly close: () => Promise<void>;
}

/** Opens a provider by its kubeconfig. It contacts nobody by itself. */
export type OpenProvider = (config: ConnectionConfig, connection: string) => OpenedProvider;

/** A way to a provider whose identity is known to be right. */
export interface ProviderLink {
  readonly connection: string;
  readonly cluster: Cluster;
  /** Identity of the consumer, as pinned. */
  readonly localUID: string;
  /** Identity of the provider, as pinned. */
  readonly remoteUID: string;
  /** What the provider offers. */
  readonly offers: Offers;
  /** Aborted before anybody is asked to let go: nothing may be begun over it from then on, as nobody would end it. */
  readonly ended: AbortSignal;
}

/** The ways to providers that may be used now. */
export interface Links {
  get(connection: string): ProviderLink | undefined;
  /** Told when {@link get} answers otherwise, or the offers of a link have changed. */
  onChange(listener: (connection: string) => void): Subscription;
  /** Asked to let go of a link, which is closed once all have. */
  onClose(listener: (link: ProviderLink) => Promise<void>): Subscription;
}

/** A way that is tried. */
export interface Trial {
  readonly hash: string;
  readonly cluster: Cluster;
  readonly offers: Offers;
  readonly source: OffersSource;
}

interface Opened extends Trial {
  /** Reads offers again of which no watch tells. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface OpenedOffers {
  readonly offers: Offers;
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The CRDs that bear the provider's label. */
function openLabelled({ informers }: Cluster, changed: () => void): OpenedOffers {
  const crds: InformerHandle<CustomResourceDefinition> = informers.acquire<CustomResourceDefinition>({
    resource: customResourceDefinitions,
    labelSelector: `${labels.exported}=true`,
  });
  const subscriptions = [
    crds.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed }),
    crds.onStateChange(changed),
  ];
  return {
    offers: {
      get: (key) => crds.get(key),
      list: () => crds.list(),
      get hasSynced() {
        return crds.hasSynced;
      },
      get failure() {
        return crds.state.phase === 'waiting' ? crds.state.error : undefined;
      },
    },
    refresh: () => Promise.resolve(),
    close: () => {
      for (const subscription of subscriptions) subscription.close();
      crds.release();
      return Promise.resolve();
    },
  };
}

/** Another cluster answers at the address of a provider. Nothing was written there. */
class OtherClusterError extends Error {
  override readonly name = 'OtherClusterError';
  readonly code = 'OtherCluster';

  constructor(connection: string, uid: string) {
    super(`cluster ${uid} answers, and Connection ${connection} is bound to another one`);
  }
}

interface Slot {
  current?: { readonly opened: Opened; readonly link: ProviderLink; readonly ending: AbortController } | undefined;
  trial?: Opened | undefined;
}

/** Of each Connection the way that is used, and the one that is tried in its place. */
export class LinkPool implements Links {
  readonly #slots = new Map<string, Slot>();
  readonly #listeners = new Set<(connection: string) => void>();
  readonly #closers = new Set<(link: ProviderLink) => Promise<void>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #open: OpenProvider;
  readonly #look: (connection: string) => void;
  readonly #isRefusedGroup: (group: string) => boolean;

  /** `look`: told that something of a way has changed. `isRefusedGroup`: whether no provider may offer an API of that group. */
  constructor(open: OpenProvider, look: (connection: string) => void, isRefusedGroup: (group: string) => boolean) {
    this.#open = open;
    this.#look = look;
    this.#isRefusedGroup = isRefusedGroup;
  }

  get(connection: string): ProviderLink | undefined {
    return this.#slots.get(connection)?.current?.link;
  }

  all(): readonly ProviderLink[] {
    return [...this.#slots.values()].flatMap(({ current }) => (current === undefined ? [] : [current.link]));
  }

  /** What is used and what is tried; undefined: nothing. */
  ways(connection: string): { readonly current: Trial | undefined; readonly trial: Trial | undefined } {
    const slot = this.#slots.get(connection);
    return { current: slot?.current?.opened, trial: slot?.trial };
  }

  onChange(listener: (connection: string) => void): Subscription {
    this.#listeners.add(listener);
    return {
      close: () => {
        this.#listeners.delete(listener);
      },
    };
  }

  onClose(listener: (link: ProviderLink) => Promise<void>): Subscription {
    this.#closers.add(listener);
    return {
      close: () => {
        this.#closers.delete(listener);
      },
    };
  }

  /** Tries a kubeconfig, in place of the one that is being tried. What is used stays. */
  try(connection: string, hash: string, config: ConnectionConfig, source: OffersSource): void {
    const slot = this.#slots.get(connection) ?? {};
    this.#slots.set(connection, slot);
    const { trial } = slot;
    const { cluster, close } = this.#open(config, connection);
    const changed = (): void => {
      this.#look(connection);
      if (slot.current?.opened.offers === opened.offers) this.#tell(connection);
    };
    const opened = source === 'CRD' ? openLabelled(cluster, changed) : this.#openDescribed(cluster, changed);
    slot.trial = {
      hash,
      cluster,
      source,
      offers: opened.offers,
      refresh: opened.refresh,
      close: async () => {
        await opened.close();
        await close();
      },
    };
    if (trial !== undefined) this.#end(trial.close());
  }

  /** Has what is tried take the place of what is used. */
  use(connection: string, identities: Pick<ProviderLink, 'localUID' | 'remoteUID'>): void {
    const slot = this.#slots.get(connection);
    if (slot?.trial === undefined) return;
    const { trial, current } = slot;
    const ending = new AbortController();
    slot.trial = undefined;
    // After an outage, write nothing before the cluster has proven to be the same one.
    trial.cluster.client.recovery?.proveBeforeWrites(async () => {
      const uid = await readClusterIdentity(trial.cluster.client, ending.signal);
      if (uid === identities.remoteUID) return;
      this.#look(connection);
      throw new OtherClusterError(connection, uid);
    });
    slot.current = {
      opened: trial,
      link: { connection, cluster: trial.cluster, offers: trial.offers, ended: ending.signal, ...identities },
      ending,
    };
    if (current !== undefined) this.#retire(current);
    this.#tell(connection);
  }

  /** Ends what is used and what is tried. */
  close(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot === undefined) return;
    this.#slots.delete(connection);
    if (slot.trial !== undefined) this.#end(slot.trial.close());
    if (slot.current !== undefined) this.#retire(slot.current);
    this.#tell(connection);
  }

  /** Ends what is tried. */
  abandon(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot?.trial === undefined) return;
    this.#end(slot.trial.close());
    slot.trial = undefined;
  }

  /** Ends what is used, and goes on trying. */
  suspend(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot?.current === undefined) return;
    const { current } = slot;
    slot.current = undefined;
    this.#retire(current);
    this.#tell(connection);
  }

  /** Resolves when nothing is open. */
  async closeAll(): Promise<void> {
    for (const connection of [...this.#slots.keys()]) this.close(connection);
    await Promise.all(this.#closing);
  }

  /** Reads all offers again of which no watch tells. */
  async refresh(): Promise<void> {
    const opened = [...this.#slots.values()].flatMap(({ current, trial }) =>
      [current?.opened ?? [], trial ?? []].flat(),
    );
    await Promise.all(opened.map((one) => one.refresh()));
  }

  #openDescribed({ client }: Cluster, changed: () => void): OpenedOffers {
    const offers = new OpenAPIOffers(client, this.#isRefusedGroup, changed);
    void offers.refresh();
    return { offers, refresh: () => offers.refresh(), close: () => offers.close() };
  }

  #retire({ opened, link, ending }: NonNullable<Slot['current']>): void {
    ending.abort();
    const released = Promise.allSettled([...this.#closers].map((closer) => closer(link)));
    this.#end(released.then(() => opened.close()));
  }

  #end(closing: Promise<void>): void {
    const ended = closing
      .catch(() => undefined)
      .finally(() => {
        this.#closing.delete(ended);
      });
    this.#closing.add(ended);
  }

  #tell(connection: string): void {
    for (const listener of this.#listeners) listener(connection);
  }
}
