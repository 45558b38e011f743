import type { LinkFaultKind } from './fault.js';
import type { SeededRandom } from './seeded-random.js';
import type { VirtualTime } from './virtual-time.js';

export type Fate =
  'whole' | { readonly reset: 'before' | 'after' | 'mid-body' } | { readonly refused: 401 | 403 | 429 | 500 | 503 };

/** The network between a machine and a cluster, with its current faults. */
export class Link {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #faults = new Set<LinkFaultKind>();
  /** Messages that a partition holds up: connections survive a short one. */
  #held: (() => void)[] = [];

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  add(fault: LinkFaultKind): void {
    this.#faults.add(fault);
  }

  remove(fault: LinkFaultKind): void {
    this.#faults.delete(fault);
    if (this.partitioned) return;
    const held = this.#held;
    this.#held = [];
    // In the order of sending, and before all later messages: a surviving connection has no gaps.
    for (const arrive of held) this.#time.setTimeout(arrive, 0);
  }

  get partitioned(): boolean {
    return this.#has('partition');
  }

  get silencesWatches(): boolean {
    return this.#has('silent-watches');
  }

  /** Current delay of one message, in milliseconds. */
  latency(): number {
    let ms = 0.2 + this.#random.next();
    for (const fault of this.#faults) if (fault.kind === 'latency') ms += fault.ms * this.#random.next();
    return ms;
  }

  /** Additional delay of events of a watch. */
  eventDelay(): number {
    for (const fault of this.#faults) if (fault.kind === 'late-events') return fault.ms * this.#random.next();
    return 0;
  }

  /** Runs `arrive` when a message sent now arrives. */
  carry(arrive: () => void, ms = this.latency()): void {
    this.#time.setTimeout(() => {
      if (this.partitioned) this.#held.push(arrive);
      else arrive();
    }, ms);
  }

  /** Fate of one exchange. */
  fate(): Fate {
    for (const fault of this.#faults) {
      if (fault.kind === 'reset' && this.#random.chance(fault.share)) return { reset: fault.where };
      if (fault.kind === 'refuse' && this.#random.chance(fault.share)) return { refused: fault.status };
    }
    return 'whole';
  }

  /** Position at which an answer of that many bytes breaks off. */
  cut(length: number): number {
    return Math.floor(this.#random.next() * length);
  }

  #has(kind: LinkFaultKind['kind']): boolean {
    for (const fault of this.#faults) if (fault.kind === kind) return true;
    return false;
  }
}
