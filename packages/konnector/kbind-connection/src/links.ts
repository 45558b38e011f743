import type { Cluster } from '@hawser/controller';
import { labels } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { InformerHandle, Subscription } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { otherCluster, readClusterIdentity } from './cluster-identity.js';
import { OpenAPIOffers } from './openapi-offers.js';

/** A provider's offers, as CRDs. */
export interface Offers {
  get(key: { readonly name: string }): CustomResourceDefinition | undefined;
  list(): readonly CustomResourceDefinition[];
  /** Every offer was read at least once. */
  readonly hasSynced: boolean;
  /** Why reading fails now; undefined: it works. */
  readonly failure: unknown;
}

/** Source of a provider's offers. */
export type OffersSource = 'CRD' | 'OpenAPI';

/** An opened provider. */
export interface OpenedProvider {
  readonly cluster: Cluster;
  /** Resolves when no socket, timer or watch of it is left. */
  readonly close: () => Promise<void>;
}

/** Opens a provider by its kubeconfig. Contacts no server by itself. */
export type OpenProvider = (config: ConnectionConfig, connection: string) => OpenedProvider;

/** A link to a provider whose identity is proven. */
export interface ProviderLink {
  readonly connection: string;
  readonly cluster: Cluster;
  /** Pinned identity of the consumer. */
  readonly localUID: string;
  /** Pinned identity of the provider. */
  readonly remoteUID: string;
  /** The provider's offers. */
  readonly offers: Offers;
  /** Aborted before the listeners of `onClose` run. Start nothing over the link after that: nothing would end it. */
  readonly ended: AbortSignal;
  /**
   * Reads live whether the provider still answers.
   * @throws {ApiError} which may pass, if another cluster answers at its address, or none
   */
  readonly confirm: () => Promise<void>;
}

/** The links to providers that are usable now. */
export interface Links {
  get(connection: string): ProviderLink | undefined;
  /** Called when {@link get} returns something else, or the offers of a link have changed. */
  onChange(listener: (connection: string) => void): Subscription;
  /** Called before a link closes; the link waits for all listeners. */
  onClose(listener: (link: ProviderLink) => Promise<void>): Subscription;
}

/** A link on trial. */
export interface Trial {
  readonly hash: string;
  readonly cluster: Cluster;
  readonly offers: Offers;
  readonly source: OffersSource;
}

interface Opened extends Trial {
  /** Reads offers again that no watch reports. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface OpenedOffers {
  readonly offers: Offers;
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The CRDs with the provider's label. */
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

interface Slot {
  current?: { readonly opened: Opened; readonly link: ProviderLink; readonly ending: AbortController } | undefined;
  trial?: Opened | undefined;
}

/** For each Connection, the link in use and the link on trial. */
export class LinkPool implements Links {
  readonly #slots = new Map<string, Slot>();
  readonly #listeners = new Set<(connection: string) => void>();
  readonly #closers = new Set<(link: ProviderLink) => Promise<void>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #open: OpenProvider;
  readonly #look: (connection: string) => void;
  readonly #isRefusedGroup: (group: string) => boolean;

  /** `look`: called when a link has changed. `isRefusedGroup`: whether no provider may offer an API of that group. */
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

  /** The link in use and the link on trial; undefined: none. */
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

  /** Tries a kubeconfig, in place of the current trial. The link in use stays. */
  try(connection: string, hash: string, config: ConnectionConfig, source: OffersSource): void {
    const slot = this.#slots.get(connection) ?? {};
    this.#slots.set(connection, slot);
    const { trial } = slot;
    const { cluster, close } = this.#open(config, connection);
    const changed = (): void => {
      this.#look(connection);
      if (slot.current?.opened.offers === opened.offers) this.#notify(connection);
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

  /** Replaces the link in use by the link on trial. */
  use(connection: string, identities: Pick<ProviderLink, 'localUID' | 'remoteUID'>): void {
    const slot = this.#slots.get(connection);
    if (slot?.trial === undefined) return;
    const { trial, current } = slot;
    const ending = new AbortController();
    slot.trial = undefined;
    const { cluster, offers } = trial;
    const confirm = async (): Promise<void> => {
      if ((await readClusterIdentity(cluster.client, ending.signal)) === identities.remoteUID) return;
      this.#look(connection);
      throw otherCluster(connection);
    };
    const link = { connection, cluster, offers, ended: ending.signal, confirm, ...identities };
    // After an outage, write nothing before the cluster has proven its identity again.
    cluster.client.recovery?.proveBeforeWrites(confirm);
    slot.current = { opened: trial, link, ending };
    if (current !== undefined) this.#retire(current);
    this.#notify(connection);
  }

  /** Ends both links. */
  close(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot === undefined) return;
    this.#slots.delete(connection);
    if (slot.trial !== undefined) this.#end(slot.trial.close());
    if (slot.current !== undefined) this.#retire(slot.current);
    this.#notify(connection);
  }

  /** Ends the link on trial. */
  abandon(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot?.trial === undefined) return;
    this.#end(slot.trial.close());
    slot.trial = undefined;
  }

  /** Ends the link in use; the trial continues. */
  suspend(connection: string): void {
    const slot = this.#slots.get(connection);
    if (slot?.current === undefined) return;
    const { current } = slot;
    slot.current = undefined;
    this.#retire(current);
    this.#notify(connection);
  }

  /** Resolves when nothing is open. */
  async closeAll(): Promise<void> {
    for (const connection of [...this.#slots.keys()]) this.close(connection);
    await Promise.all(this.#closing);
  }

  /** Reads all offers again that no watch reports. */
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

  #notify(connection: string): void {
    for (const listener of this.#listeners) listener(connection);
  }
}
