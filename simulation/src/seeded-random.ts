import type { Random } from '@hawser/clock';

/**
 * Random numbers that a seed determines. Each part of a simulation uses its own stream: its draws do not change the
 * others.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = mix(seed >>> 0);
  }

  /** A stream that depends on this one's seed and on `name`, not on earlier draws. */
  static stream(seed: number, name: string): SeededRandom {
    let hash = seed >>> 0;
    for (let index = 0; index < name.length; index++) hash = mix(hash ^ name.charCodeAt(index));
    return new SeededRandom(hash);
  }

  /** In [0, 1). */
  readonly next: Random = () => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return mix(this.#state) / 2 ** 32;
  };

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error('nothing to pick from');
    return item as T;
  }
}

/**
 * Every bit of the result depends on every bit of `value`, and different values give different results: two seeds never
 * give the same run. The finalizer of MurmurHash3.
 */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
