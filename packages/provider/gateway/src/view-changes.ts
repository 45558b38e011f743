import type { Clock } from '@hawser/clock';
import { isOlder } from '@hawser/informer';

/**
 * Replicas notice a change within this time of each other. A watch that continues meanwhile may have begun at a replica
 * that knew less, or more.
 */
const UNSETTLED_MS = 5_000;

interface Known {
  readonly version: string;
  /** On the monotonic clock. Undefined: no object became or ceased to be visible. */
  readonly at: number | undefined;
}

/**
 * Since when consumers have their views. A client that listed before then cannot continue its watch: no event reports
 * objects that became visible, or ceased to be, without a change.
 */
export class ViewChanges {
  readonly #clock: Clock;
  readonly #changes = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param version the newest version shown to any consumer at the change: clients with an older one have to list.
   * @param matters whether objects became visible, or ceased to be.
   */
  record(consumer: string, resource: string, version: string, matters: boolean): void {
    this.#changes.set(`${consumer}\n${resource}`, { version, at: matters ? this.#clock.monotonic() : undefined });
  }

  /**
   * Whether a client that knows everything up to `version` has to list again.
   * @param newest version that a client can know now. A change at a newer version dates from before a restored backup,
   * and all clients have listed since.
   */
  mustList(consumer: string, resource: string, version: string, newest: string): boolean {
    const known = this.#changes.get(`${consumer}\n${resource}`);
    if (known === undefined || isOlder(newest, known.version)) return false;
    return this.#isUnsettled(known) || isOlder(version, known.version);
  }

  /** Forgets changes older than any history that a client could continue from. */
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
