import type { Clock } from '@hawser/clock';
import type { StatusWriter } from '@hawser/publication';
import type { Caches } from './caches.js';
import type { Keys } from './keys.js';
import { type State, withState } from './report.js';

/** State of each PublishedResource by name, and its path into the status. */
export class PublicationStates {
  readonly #caches: Caches;
  readonly #writer: StatusWriter;
  readonly #clock: Clock;
  readonly #keys: Keys;
  readonly #states = new Map<string, State>();

  constructor(caches: Caches, writer: StatusWriter, clock: Clock, keys: Keys) {
    this.#caches = caches;
    this.#writer = writer;
    this.#clock = clock;
    this.#keys = keys;
  }

  names(): readonly string[] {
    return [...this.#states.keys()];
  }

  isInvalid(of: string): boolean {
    return this.#states.get(of)?.kind === 'invalid';
  }

  /** Reports the state next time. `state` undefined: unchanged. */
  conclude(of: string, state: State | undefined): void {
    if (state === undefined) return;
    this.#states.set(of, state);
    this.#keys.report(of);
  }

  async write(of: string, signal: AbortSignal): Promise<void> {
    const object = this.#caches.published(of);
    const state = this.#states.get(of);
    if (object === undefined || state === undefined) return;
    await this.#writer.commit(object, (status) => withState(status, state, this.#clock.now()), signal);
  }

  forget(of: string): void {
    this.#states.delete(of);
  }
}
