import type { Identity } from './identity.js';

/** An open watch of a consumer. */
export interface Stream {
  readonly identity: Identity;
  /** The consumer has changed: continues with the new state, or ends. */
  review(): void;
  /** Tells the client up to which version it has everything. */
  bookmark(): void;
  end(): void;
}

/** The watches of all consumers. A watch ends when its right ends. */
export class Streams {
  readonly #byConsumer = new Map<string, Set<Stream>>();

  add(stream: Stream): () => void {
    const key = keyOf(stream.identity);
    const ofConsumer = this.#byConsumer.get(key) ?? new Set();
    this.#byConsumer.set(key, ofConsumer.add(stream));
    return () => {
      ofConsumer.delete(stream);
      if (ofConsumer.size === 0 && this.#byConsumer.get(key) === ofConsumer) this.#byConsumer.delete(key);
    };
  }

  *all(): Iterable<Stream> {
    for (const ofConsumer of this.#byConsumer.values()) yield* ofConsumer;
  }

  get size(): number {
    let size = 0;
    for (const ofConsumer of this.#byConsumer.values()) size += ofConsumer.size;
    return size;
  }

  /** @param clusterNamespace undefined: of all consumers. */
  review(dialect: string, clusterNamespace: string | undefined): void {
    const streams =
      clusterNamespace === undefined ? this.all() : (this.#byConsumer.get(`${dialect}/${clusterNamespace}`) ?? []);
    for (const stream of [...streams]) stream.review();
  }

  endAll(): void {
    for (const stream of [...this.all()]) stream.end();
  }
}

const keyOf = ({ dialect, clusterNamespace }: Identity): string => `${dialect.name}/${clusterNamespace}`;
