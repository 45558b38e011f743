import type { Queue } from '@hawser/controller';

/** Key of a look. `sync` and `report` (status): by PublishedResource name. `end` (release): by journal key. */
export type Key = { readonly kind: 'endpoints' } | { readonly kind: 'sync' | 'report' | 'end'; readonly of: string };

const ENDPOINTS = 'endpoints';
/** Minimum time between two writes of counts. */
const REPORT_MS = 2_000;

export function parseKey(key: string): Key {
  if (key === ENDPOINTS) return { kind: 'endpoints' };
  const [kind, of] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
  return { kind: kind === 'report' || kind === 'end' ? kind : 'sync', of };
}

/** Puts keys into the queue. */
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

  /** Call when a server answers again after an outage. */
  recovered(): void {
    this.#queue().recovered();
  }
}
