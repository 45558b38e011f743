import { klutchDialect } from '@hawser/klutch';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import { belongingOf, isOfFormer } from './ownership.js';
import { consumerObject, copyObject, observed, ownMarks, settings, terminating } from './testing/snapshots.js';

const marked = (annotations: object): ReturnType<typeof copyObject> =>
  copyObject({ size: 'small' }, { annotations: { ...ownMarks, ...annotations } });
const ofCluster = marked({ 'hawser.dev/consumer-identity': 'cluster-2' });
const withoutUid = copyObject(
  { size: 'small' },
  { annotations: Object.fromEntries(Object.entries(ownMarks).filter(([key]) => key !== 'kube-bind.io/consumer-uid')) },
);

describe('whose a copy is', () => {
  it('does not depend on its cluster while the own one is not known', () => {
    const pair = observed(consumerObject(), ofCluster);
    expect(belongingOf(ofCluster, pair, { ...settings, consumerCluster: '' })).toEqual({ kind: 'ours', isNamed: true });
    expect(belongingOf(ofCluster, pair, settings)).toEqual({
      kind: 'foreign',
      owner: { kind: 'cluster', uid: 'cluster-2' },
    });
  });

  it('is not named by its object alone, without a cluster', () => {
    const copy = marked({ 'hawser.dev/consumer-identity': '' });
    expect(belongingOf(copy, observed(consumerObject(), copy), settings)).toEqual({ kind: 'ours', isNamed: false });
  });

  it("is a former object's without a uid, unless the dialect does without", () => {
    expect(isOfFormer(withoutUid, consumerObject(), settings)).toBe(true);
    expect(isOfFormer(withoutUid, consumerObject(), { ...settings, dialect: klutchDialect })).toBe(false);
  });
});

it('a release without a reason releases nothing', () => {
  const deleted = (release: string): ReturnType<typeof consumerObject> =>
    consumerObject({ size: 'small' }, { ...terminating, annotations: { 'hawser.dev/release': release } });
  const types = (release: string): readonly string[] =>
    decide(observed(deleted(release), copyObject()), settings).actions.map(({ type }) => type);
  expect([types(''), types('the provider is gone')]).toEqual([['proveDeletion'], ['removeFinalizer']]);
});
