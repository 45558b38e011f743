import { type BackoffOptions, type Clock, type Random, type TimerHandle, backoffDelay } from '@hawser/clock';

/** Tells when an API server that could not be reached can be reached again. */
export interface Recovery {
  /** Called when an outage is over. One that was not confirmed by a probe of its own is none: a single request may fail, or time out, for reasons of its own. */
  onRecovered(listener: () => void): { close(): void };
}

export interface OutageOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the server answers, whatever it says. Never rejects. */
  readonly probe: () => Promise<boolean>;
}

/** Whether there is somebody behind the address: the status of an answer that is not a gateway's, nor that of a server that is not ready. */
export function isAnswer(status: number): boolean {
  return status < 502 || status > 504;
}

/** Between two looks at a server that does not answer. */
const PROBES: BackoffOptions = { initialMs: 500, capMs: 5_000 };

/**
 * Notices outages of one API server: after a request that got no answer the server is probed, every few seconds at most, and with one request at a time, until it answers. Costs nothing while
 * it does, nor where nobody listens.
 */
export class Outages implements Recovery {
  readonly #options: OutageOptions;
  readonly #listeners = new Set<() => void>();
  #state: 'well' | 'suspected' | 'out' | 'closed' = 'well';
  #failures = 0;
  #timer: TimerHandle | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  onRecovered(listener: () => void): { close(): void } {
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return {
      close: () => {
        this.#listeners.delete(own);
      },
    };
  }

  /** A request got no answer. */
  suspect(): void {
    if (this.#state !== 'well' || this.#listeners.size === 0) return;
    this.#state = 'suspected';
    this.#failures = 0;
    this.#probeLater();
  }

  /** A request was answered. */
  answered(): void {
    if (this.#state === 'well' || this.#state === 'closed') return;
    const wasOut = this.#state === 'out';
    this.#state = 'well';
    this.#timer?.cancel();
    if (wasOut) for (const listener of [...this.#listeners]) listener();
  }

  close(): void {
    this.#state = 'closed';
    this.#timer?.cancel();
    this.#listeners.clear();
  }

  #probeLater(): void {
    const { clock, random } = this.#options;
    this.#timer = clock.setTimeout(() => void this.#probe(), backoffDelay(PROBES, ++this.#failures, random));
  }

  async #probe(): Promise<void> {
    const answers = await this.#options.probe();
    if (this.#state !== 'suspected' && this.#state !== 'out') return;
    if (answers) {
      this.answered();
      return;
    }
    this.#state = 'out';
    this.#probeLater();
  }
}
