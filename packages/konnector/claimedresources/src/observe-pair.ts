import type { KubeObject } from '@hawser/client';

import type { Side } from './marks.js';
import type { Observed } from './observed.js';

/** What is seen of a pair, before anybody asks who claims it. */
export interface PairSeen extends Omit<Observed, 'cached' | 'claimedBy' | 'protection'> {
  readonly cached: Readonly<Record<Side, KubeObject | undefined>>;
}

/** What is asked about the objects that are there. */
export interface PairQuestions {
  readonly claimedBy: (side: Side, object: KubeObject) => readonly string[];
  readonly protection: (side: Side, object: KubeObject) => string | undefined;
}

export function observePair({ cached, ...seen }: PairSeen, { claimedBy, protection }: PairQuestions): Observed {
  const sides = (['consumer', 'provider'] as const).flatMap((side) => (cached[side] === undefined ? [] : [{ side, object: cached[side] }]));
  const bySide = <T>(valueOf: (side: Side, object: KubeObject) => T | undefined): Partial<Record<Side, T>> =>
    Object.fromEntries(sides.flatMap(({ side, object }) => {
      const value = valueOf(side, object);
      return value === undefined ? [] : [[side, value]];
    }));
  return {
    ...seen,
    cached: bySide((_, object) => object),
    claimedBy: { consumer: [], provider: [], ...bySide(claimedBy) },
    protection: bySide(protection),
  };
}
