import type { Clock } from '@hawser/clock';
import { isOlder } from '@hawser/informer';

/** Replicas learn of a change at different times, within so long. A watch that goes on meanwhile may have begun at one that knew less, or more. */
const UNSETTLED_MS = 5_000;

interface Known {
  readonly version: string;
  readonly at: number;
}

/**
 * Since when consumers see what they see. A client that has listed before then cannot go on watching: what came into its sight or left it without changing, no event tells.
 */
export class ViewChanges {
  readonly #clock: Clock;
  readonly #changes = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param version at which the resource was when it changed. */
  record(consumer: string, resource: string, version: string): void {
    this.#changes.set(`${consumer}\n${resource}`, { version, at: this.#clock.monotonic() });
  }

  /** Whether a client that knows everything up to `version` has to list again. */
  mustList(consumer: string, resource: string, version: string): boolean {
    const known = this.#changes.get(`${consumer}\n${resource}`);
    if (known === undefined) return false;
    return this.#clock.monotonic() - known.at < UNSETTLED_MS || isOlder(version, known.version);
  }

  /** Forgets those of which no history is left that a client could go on from. */
  sweep(isForgotten: (resource: string, version: string) => boolean): void {
    for (const [key, { version, at }] of this.#changes) {
      const [, resource = ''] = key.split('\n');
      if (this.#clock.monotonic() - at >= UNSETTLED_MS && isForgotten(resource, version)) this.#changes.delete(key);
    }
  }
}
