import { type BackoffOptions, type Clock, type Random, type TimerHandle, backoffDelay } from '@hawser/clock';

/** Reports when an unreachable API server is reachable again. */
export interface Recovery {
  /**
   * Calls `listener` when an outage is over. Only an outage that a probe has confirmed counts: a single request may
   * fail, or time out, for its own reasons.
   */
  onRecovered(listener: () => void): { close(): void };
  /** Number of requests and watches that lost their connection. Another server may answer at the address after each. */
  readonly losses: number;
  /**
   * Calls `prove` before the first write after each loss. Writes wait until it resolves. If it rejects, they fail: with
   * code `Unreachable`, also for a 403 or 404 of the proof; with the code of another ApiError. Reads go on. `prove` must send only reads. The last given proof counts.
   */
  proveBeforeWrites(prove: () => Promise<void>): { close(): void };
}

interface Proof {
  readonly prove: () => Promise<void>;
  /** The losses before the last proof. */
  provenAt: number;
  running?: Promise<void> | undefined;
}

export interface OutageOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the server answers, whatever it says. Never rejects. */
  readonly probe: () => Promise<boolean>;
}

/** Whether the API server itself answered: not a gateway, and not a server that is not ready. */
export function isAnswer(status: number): boolean {
  return status < 502 || status > 504;
}

/** Time between two probes of a server that does not answer. */
const PROBES: BackoffOptions = { initialMs: 500, capMs: 5_000 };

/**
 * Detects outages of one API server. After a request without an answer it probes the server, one request at a time and
 * every few seconds at most, until it answers. Costs nothing while the server answers, or without listeners.
 */
export class Outages implements Recovery {
  readonly #options: OutageOptions;
  readonly #listeners = new Set<() => void>();
  #state: 'well' | 'suspected' | 'out' | 'closed' = 'well';
  #failures = 0;
  #losses = 0;
  #proof: Proof | undefined;
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

  get losses(): number {
    return this.#losses;
  }

  proveBeforeWrites(prove: () => Promise<void>): { close(): void } {
    const proof: Proof = { prove, provenAt: this.#losses };
    this.#proof = proof;
    return {
      close: () => {
        if (this.#proof === proof) this.#proof = undefined;
      },
    };
  }

  /** Whether a write has to wait for a proof. */
  get isUnproven(): boolean {
    return this.#proof !== undefined && this.#proof.provenAt !== this.#losses;
  }

  /** Resolves if nothing was lost since the last proof, or none is needed. Rejects as the proof does. Callers share it. */
  async proven(): Promise<void> {
    const proof = this.#proof;
    if (proof === undefined || proof.provenAt === this.#losses) return;
    const losses = this.#losses;
    proof.running ??= proof
      .prove()
      .then(() => {
        proof.provenAt = losses;
      })
      .finally(() => {
        proof.running = undefined;
      });
    await proof.running;
  }

  /** A watch has ended. */
  lost(): void {
    this.#losses++;
  }

  /** A request got no answer. */
  suspect(): void {
    this.#losses++;
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
