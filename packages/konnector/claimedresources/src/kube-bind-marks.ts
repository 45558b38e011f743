import { labels } from '@hawser/kube-bind';

import { type Marks, ORIGIN, originUid, otherSide } from './marks.js';

const OWNER = labels.owner;

/**
 * kube-bind's marks (`spec/konnector.md §10.2`): a label names the owner on both sides, and copies name their original.
 * The label alone proves nothing: every client may set it. If both sides have an object, and neither is the other's
 * copy, it only shows in whose place an object stands.
 */
export const kubeBindMarks: Marks = {
  markedOwner({ metadata }) {
    const owner = metadata.labels?.[OWNER];
    return owner === 'consumer' || owner === 'provider' ? owner : undefined;
  },
  ownerMark: (side) => ({ labels: { [OWNER]: side }, annotations: {} }),
  inWords: (side) => `labelled ${OWNER}=${side}`,
  isMark: (key) => key === OWNER,
  copiesNameOrigin: true,
  /** A copy without its label is still one. */
  roleOf(object, side) {
    const owner = kubeBindMarks.markedOwner(object);
    if (owner === side) return 'original';
    if (originUid(object, side) !== undefined) return 'copy';
    return owner === otherSide(side) ? 'labelled' : 'original';
  },
  markOfCopy: (side) => ['metadata', 'annotations', ORIGIN[otherSide(side)].uid],
  ownershipOf({ consumer, provider }) {
    const roles = {
      consumer: kubeBindMarks.roleOf(consumer, 'consumer'),
      provider: kubeBindMarks.roleOf(provider, 'provider'),
    };
    if (roles.consumer === 'copy' && roles.provider === 'original') return { kind: 'proven', owner: 'provider' };
    if (roles.provider === 'copy' && roles.consumer === 'original') return { kind: 'proven', owner: 'consumer' };
    const [onConsumer, onProvider] = [consumer.metadata.labels?.[OWNER], provider.metadata.labels?.[OWNER]];
    if (onProvider === 'provider' && roles.consumer === 'original' && onConsumer === undefined)
      return { kind: 'occupied', owner: 'provider' };
    if (onConsumer === 'consumer' && roles.provider !== 'copy' && onProvider !== 'provider')
      return { kind: 'occupied', owner: 'consumer' };
    return { kind: 'undecided' };
  },
};
