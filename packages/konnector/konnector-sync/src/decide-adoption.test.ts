import { klutchDialect } from '@hawser/klutch';
import { describe, expect, it } from '@jest/globals';

import { isHalfAdopted } from './decide-adoption.js';
import { decide } from './decide.js';
import type { PairSettings } from './observed.js';
import { consumerObject, copyObject, observed, settings } from './testing/snapshots.js';

const adopting: PairSettings = { ...settings, adoptsFromProvider: true };
const cameFrom = consumerObject({ size: 'small' }, { annotations: { 'hawser.dev/adopted-from': 'copy-uid' } });
const unowned = copyObject({ size: 'small' }, { annotations: {} });

describe("an object of the provider that the consumer's object notes as its origin", () => {
  it('is the one that it came from', () => {
    expect(isHalfAdopted(cameFrom, unowned, adopting)).toBe(true);
  });

  it('is left alone where nothing is adopted from the provider', () => {
    expect(isHalfAdopted(cameFrom, unowned, settings)).toBe(false);
    expect(decide(observed(cameFrom, unowned), settings)).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason: 'ForeignCopy' },
    });
  });

  it.each([
    ['another consumer has marked it since', { annotations: { 'kube-bind.io/cluster-namespace': 'kube-bind-other' } }],
    [
      'a controller has taken it since',
      {
        annotations: {},
        ownerReferences: [{ apiVersion: 'v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }],
      },
    ],
  ])('is left alone where %s', (_, metadata) => {
    expect(isHalfAdopted(cameFrom, copyObject({ size: 'small' }, metadata), adopting)).toBe(false);
    expect(decide(observed(cameFrom, copyObject({ size: 'large' }, metadata)), adopting)).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason: 'ForeignCopy' },
    });
  });
});

describe('an object of the provider with the same content', () => {
  const same = copyObject({ size: 'small' }, { annotations: {} });
  const bound = (annotations: object): ReturnType<typeof consumerObject> =>
    consumerObject({ size: 'small' }, { annotations });

  it("proves nothing in a dialect that does not mark the consumer's object", () => {
    expect(isHalfAdopted(bound({}), same, adopting)).toBe(false);
  });

  it('proves it in Klutch, beside the mark and only then', () => {
    const klutch: PairSettings = { ...adopting, dialect: klutchDialect };
    expect(isHalfAdopted(bound({ 'klutch.anynines.com/bound': 'true' }), same, klutch)).toBe(true);
    expect(isHalfAdopted(bound({}), same, klutch)).toBe(false);
    expect(
      isHalfAdopted(
        bound({ 'klutch.anynines.com/bound': 'true' }),
        copyObject({ size: 'large' }, { annotations: {} }),
        klutch,
      ),
    ).toBe(false);
  });
});
