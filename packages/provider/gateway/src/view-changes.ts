import type { Clock } from '@hawser/clock';
import { isOlder } from '@hawser/informer';

/** Replicas learn of a change at different times, within so long. A watch that goes on meanwhile may have begun at one that knew less, or more. */
const UNSETTLED_MS = 5_000;

interface Known {
  readonly version: string;
  /** On the monotonic clock. Undefined: no object came into sight or left it. */
  readonly at: number | undefined;
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

  /**
   * @param version the newest that was shown to anybody when it changed: who knows less has to list.
   * @param matters whether objects came into sight, or left it.
   */
  record(consumer: string, resource: string, version: string, matters: boolean): void {
    this.#changes.set(`${consumer}\n${resource}`, { version, at: matters ? this.#clock.monotonic() : undefined });
  }

  /**
   * Whether a client that knows everything up to `version` has to list again.
   * @param newest that can be known now. What was recorded at a newer one was so before a backup was restored, and all have listed since.
   */
  mustList(consumer: string, resource: string, version: string, newest: string): boolean {
    const known = this.#changes.get(`${consumer}\n${resource}`);
    if (known === undefined || isOlder(newest, known.version)) return false;
    return this.#isUnsettled(known) || isOlder(version, known.version);
  }

  /** Forgets those of which no history is left that a client could go on from. */
  sweep(isForgotten: (resource: string, version: string) => boolean): void {
    for (const [key, known] of this.#changes) {
      const [, resource = ''] = key.split('\n');
      if (!this.#isUnsettled(known) && isForgotten(resource, known.version)) this.#changes.delete(key);
    }
  }

  #isUnsettled({ at }: Known): boolean {
    return at !== undefined && this.#clock.monotonic() - at < UNSETTLED_MS;
  }
}
