import type { Queue } from '@hawser/controller';

/** What a look of the syncmanager is about. `sync`: the sync of a PublishedResource, `report`: its status, both by its name; `end`: what lets go, by its key in the journal. */
export type Key = { readonly kind: 'endpoints' } | { readonly kind: 'sync' | 'report' | 'end'; readonly of: string };

const ENDPOINTS = 'endpoints';
/** Counts are written at most this often. */
const REPORT_MS = 2_000;

export function parseKey(key: string): Key {
  if (key === ENDPOINTS) return { kind: 'endpoints' };
  const [kind, of] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
  return { kind: kind === 'report' || kind === 'end' ? kind : 'sync', of };
}

/** The way into the queue, for whatever is to be looked at. */
export class Keys {
  readonly #queue: () => Queue;

  constructor(queue: () => Queue) {
    this.#queue = queue;
  }

  endpoints(options?: { readonly resetBackoff: true }): void {
    this.#queue().add(ENDPOINTS, options);
  }

  sync(of: string, options?: { readonly resetBackoff: true }): void {
    this.#queue().add(`sync/${of}`, options);
  }

  syncAfter(of: string, afterMs = REPORT_MS): void {
    this.#queue().addAfter(`sync/${of}`, afterMs);
  }

  report(of: string): void {
    this.#queue().add(`report/${of}`);
  }

  reportSoon(of: string): void {
    this.#queue().addAfter(`report/${of}`, REPORT_MS);
  }

  end(key: string): void {
    this.#queue().add(`end/${key}`);
  }

  endAfter(key: string, afterMs = REPORT_MS): void {
    this.#queue().addAfter(`end/${key}`, afterMs);
  }

  /** A server answers again after an outage. */
  recovered(): void {
    this.#queue().recovered();
  }
}
