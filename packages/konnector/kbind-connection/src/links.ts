import type { Cluster } from '@hawser/controller';
import { labels } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { InformerHandle, Subscription } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';

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
  /** The CRDs that the provider offers. */
  readonly offers: InformerHandle<CustomResourceDefinition>;
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
  readonly offers: InformerHandle<CustomResourceDefinition>;
}

interface Opened extends Trial {
  readonly close: () => Promise<void>;
}

interface Slot {
  current?: { readonly opened: Opened; readonly link: ProviderLink } | undefined;
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

  /** `look`: told that something of a way has changed. */
  constructor(open: OpenProvider, look: (connection: string) => void) {
    this.#open = open;
    this.#look = look;
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
  try(connection: string, hash: string, config: ConnectionConfig): void {
    const slot = this.#slots.get(connection) ?? {};
    this.#slots.set(connection, slot);
    const { trial } = slot;
    const { cluster, close } = this.#open(config, connection);
    const offers = cluster.informers.acquire<CustomResourceDefinition>({
      resource: customResourceDefinitions,
      labelSelector: `${labels.exported}=true`,
    });
    const changed = (): void => {
      this.#look(connection);
      if (slot.current?.opened.offers === offers) this.#tell(connection);
    };
    const subscriptions = [
      offers.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed }),
      offers.onStateChange(changed),
    ];
    slot.trial = {
      hash,
      cluster,
      offers,
      close: async () => {
        for (const subscription of subscriptions) subscription.close();
        offers.release();
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
    slot.trial = undefined;
    slot.current = {
      opened: trial,
      link: { connection, cluster: trial.cluster, offers: trial.offers, ...identities },
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

  #retire({ opened, link }: NonNullable<Slot['current']>): void {
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
