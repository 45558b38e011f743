import type { LinkFaultKind } from './fault.js';
import type { SeededRandom } from './seeded-random.js';
import type { VirtualTime } from './virtual-time.js';

export type Fate =
  'whole' | { readonly reset: 'before' | 'after' | 'mid-body' } | { readonly refused: 401 | 403 | 429 | 500 | 503 };

/** The network between a machine and a cluster, with what is wrong with it at the moment. */
export class Link {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #faults = new Set<LinkFaultKind>();
  /** What a partition holds up: connections survive it if it is short. */
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
    // In the order in which it was sent, and before whatever is sent from now on: a connection that survives has no holes.
    for (const arrive of held) this.#time.setTimeout(arrive, 0);
  }

  get partitioned(): boolean {
    return this.#has('partition');
  }

  get silencesWatches(): boolean {
    return this.#has('silent-watches');
  }

  /** How long one message takes now, in milliseconds. */
  latency(): number {
    let ms = 0.2 + this.#random.next();
    for (const fault of this.#faults) if (fault.kind === 'latency') ms += fault.ms * this.#random.next();
    return ms;
  }

  /** How much later than its connection allows a watch shows an event. */
  eventDelay(): number {
    for (const fault of this.#faults) if (fault.kind === 'late-events') return fault.ms * this.#random.next();
    return 0;
  }

  /** `arrive` runs when a message sent now is there. */
  carry(arrive: () => void, ms = this.latency()): void {
    this.#time.setTimeout(() => {
      if (this.partitioned) this.#held.push(arrive);
      else arrive();
    }, ms);
  }

  /** What becomes of one exchange. */
  fate(): Fate {
    for (const fault of this.#faults) {
      if (fault.kind === 'reset' && this.#random.chance(fault.share)) return { reset: fault.where };
      if (fault.kind === 'refuse' && this.#random.chance(fault.share)) return { refused: fault.status };
    }
    return 'whole';
  }

  /** Where an answer of that many bytes breaks off. */
  cut(length: number): number {
    return Math.floor(this.#random.next() * length);
  }

  #has(kind: LinkFaultKind['kind']): boolean {
    for (const fault of this.#faults) if (fault.kind === kind) return true;
    return false;
  }
}
