import type { KubeObject } from '@hawser/client';

import { ORIGIN, type Side, originUid, otherSide } from './marks.js';
import type { Observed } from './observed.js';
import { namelessCopy } from './origin.js';

/** State of a pair before the claim lookup. */
export interface PairSeen extends Omit<Observed, 'cached' | 'claimedBy' | 'protection' | 'cloned'> {
  readonly cached: Readonly<Record<Side, KubeObject | undefined>>;
}

/** Lookups for existing objects. */
export interface PairQuestions {
  readonly claimedBy: (side: Side, object: KubeObject) => readonly string[];
  readonly protection: (side: Side, object: KubeObject) => string | undefined;
  /** Cached objects in a namespace of that side. Called only for marks that do not fit. */
  readonly objectsIn: (side: Side, namespace: string) => readonly KubeObject[];
}

export function observePair(
  { cached, ...seen }: PairSeen,
  { claimedBy, protection, objectsIn }: PairQuestions,
): Observed {
  const sides = (['consumer', 'provider'] as const).flatMap((side) =>
    cached[side] === undefined ? [] : [{ side, object: cached[side] }],
  );
  const bySide = <T>(valueOf: (side: Side, object: KubeObject) => T | undefined): Partial<Record<Side, T>> =>
    Object.fromEntries(
      sides.flatMap(({ side, object }) => {
        const value = valueOf(side, object);
        return value === undefined ? [] : [[side, value]];
      }),
    );
  const cloned = bySide((side, object) => {
    const [from, uid] = [otherSide(side), originUid(object, side)];
    if (uid === undefined || !namelessCopy(object, side) || uid === cached[from]?.metadata.uid) return undefined;
    return objectsIn(from, object.metadata.annotations?.[ORIGIN[from].namespace] ?? '').some(
      ({ metadata }) => metadata.uid === uid && metadata.name !== seen.name,
    )
      ? true
      : undefined;
  });
  return {
    ...seen,
    cloned,
    cached: bySide((_, object) => object),
    claimedBy: { consumer: [], provider: [], ...bySide(claimedBy) },
    protection: bySide(protection),
  };
}
