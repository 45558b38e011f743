/** Numbers drawn from a seed: the same seed, the same numbers. */
export interface Random {
  /** From 0 up to and without `below`. */
  below(below: number): number;
  of<T>(list: readonly T[]): T;
  chance(part: number): boolean;
}

/** A small generator (mulberry32), good enough to choose. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (below) => Math.floor(next() * below),
    of: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('nothing to choose from');
      return list[Math.floor(next() * list.length)] as T;
    },
    chance: (part) => next() < part,
  };
}
