import { describe, expect, it } from '@jest/globals';
import { finalizers, hawserAnnotations } from './metadata.js';
import { holdsObjects, releasedBecause, unbindPolicyOf, unbindingUnder } from './unbind-policy.js';

const going = (policy: string | undefined, more: { readonly release?: string; readonly finalizer?: boolean } = {}) => ({
  deletionTimestamp: '2026-01-01T00:00:00Z',
  finalizers: more.finalizer === false ? [] : ['example.com/other', finalizers.unbind],
  annotations: {
    ...(policy === undefined ? {} : { [hawserAnnotations.unbindPolicy]: policy }),
    ...(more.release === undefined ? {} : { [hawserAnnotations.release]: more.release }),
  },
});

describe('unbind policy', () => {
  it.each([
    [undefined, { policy: 'Orphan' }],
    ['', { policy: 'Orphan' }],
    ['Orphan', { policy: 'Orphan' }],
    ['Delete', { policy: 'Delete' }],
    ['Block', { policy: 'Block' }],
    ['delete', { policy: 'Block', unknown: 'delete' }],
  ])('%s', (value, expected) => {
    expect(
      unbindPolicyOf({ annotations: value === undefined ? undefined : { [hawserAnnotations.unbindPolicy]: value } }),
    ).toEqual(expected);
  });

  it('an empty reason releases nothing', () => {
    expect(releasedBecause({ annotations: { [hawserAnnotations.release]: '' } })).toBeUndefined();
    expect(releasedBecause({ annotations: { [hawserAnnotations.release]: 'provider is gone' } })).toBe(
      'provider is gone',
    );
  });

  it.each([
    ['stands', {}, undefined, true],
    [
      'stands under Delete',
      { annotations: { [hawserAnnotations.unbindPolicy]: 'Delete' }, finalizers: [finalizers.unbind] },
      undefined,
      true,
    ],
    ['goes under Orphan', going(undefined), undefined, false],
    ['goes under Delete', going('Delete'), 'Delete', true],
    ['goes under Block', going('Block'), 'Block', true],
    ['goes under a word that nobody knows', going('Blok'), 'Block', true],
    ['goes under Delete without our finalizer', going('Delete', { finalizer: false }), undefined, false],
    ['goes under Delete and was broken open', going('Delete', { release: 'gone' }), undefined, false],
  ] as const)('a binding that %s', (_, metadata, under, holds) => {
    expect(unbindingUnder(metadata)).toBe(under);
    expect(holdsObjects(metadata)).toBe(holds);
  });
});
