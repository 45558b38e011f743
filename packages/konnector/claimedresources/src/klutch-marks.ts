import { annotations } from '@hawser/klutch';

import { type Marks, type Side, originUid, otherSide } from './marks.js';

const OWNER = annotations.resourceOwner;
const WORDS = { consumer: 'Consumer', provider: 'Provider' } as const satisfies Record<Side, string>;

/**
 * Klutch's marks (`spec/klutch.md §12`): an annotation names the owner on both sides. The provider's object decides
 * first, then the consumer's. Without annotations the object belongs to the side that has it, and to the provider if
 * both do. Copies of a Klutch konnector say no more than that. Unlike Klutch, Hawser overwrites an object without a
 * copy mark only if the binding's conflict policy permits it.
 */
export const klutchMarks: Marks = {
  markedOwner({ metadata }) {
    const owner = metadata.annotations?.[OWNER];
    return owner === WORDS.consumer ? 'consumer' : owner === WORDS.provider ? 'provider' : undefined;
  },
  ownerMark: (side) => ({ labels: {}, annotations: { [OWNER]: WORDS[side] } }),
  inWords: (side) => `annotated ${OWNER}=${WORDS[side]}`,
  isMark: (key) => key === OWNER,
  copiesNameOrigin: false,
  roleOf(object, side) {
    const owner = klutchMarks.markedOwner(object);
    if (owner === side) return 'original';
    return owner === otherSide(side) || originUid(object, side) !== undefined ? 'copy' : 'original';
  },
  markOfCopy: () => ['metadata', 'annotations', OWNER],
  ownershipOf(pair) {
    const owner =
      klutchMarks.markedOwner(pair.provider) ??
      klutchMarks.markedOwner(pair.consumer) ??
      ownerByOrigin(pair) ??
      'provider';
    const side = otherSide(owner);
    const marked = klutchMarks.markedOwner(pair[side]);
    const isCopy = marked === owner || (marked === undefined && originUid(pair[side], side) !== undefined);
    return { kind: isCopy ? 'proven' : 'occupied', owner };
  },
};

/** Hawser's copies name their original, too: one without its annotation is still known. */
function ownerByOrigin({
  consumer,
  provider,
}: Readonly<Record<Side, Parameters<Marks['markedOwner']>[0]>>): Side | undefined {
  if (originUid(consumer, 'consumer') !== undefined) return 'provider';
  return originUid(provider, 'provider') === undefined ? undefined : 'consumer';
}
