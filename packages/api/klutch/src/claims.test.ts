import { describe, expect, it } from '@jest/globals';
import { claimFromKubeBind, claimToKubeBind } from './claims.js';
import type { PermissionClaim } from './kinds/shared.js';

describe('claimToKubeBind', () => {
  const all = { labelSelector: {} };
  const cases: readonly [string, PermissionClaim, unknown, readonly string[]][] = [
    ['everything', { resource: 'secrets' }, all, []],
    [
      'everything, in so many words',
      { group: '', resource: 'secrets', selector: { names: ['*', 'a'], namespaces: ['*'] } },
      all,
      [],
    ],
    [
      'names',
      { resource: 'secrets', selector: { names: ['a', 'b'] } },
      { namedResources: [{ name: 'a' }, { name: 'b' }] },
      [],
    ],
    [
      'names in namespaces',
      { resource: 'secrets', selector: { names: ['a'], namespaces: ['x', 'y'] } },
      {
        namedResources: [
          { name: 'a', namespace: 'x' },
          { name: 'a', namespace: 'y' },
        ],
      },
      [],
    ],
    ['all of one namespace', { resource: 'secrets', selector: { namespaces: ['x'] } }, all, ['selector.namespaces']],
    [
      'what Klutch does not act on',
      {
        resource: 'secrets',
        required: true,
        autoAdopt: false,
        selector: { owner: 'Provider', labelSelectors: [{ a: 'b' }] },
      },
      all,
      ['selector.owner', 'selector.labelSelectors', 'required', 'autoAdopt'],
    ],
  ];
  it.each(cases)('says %s', (_what, claim, selector, lost) => {
    expect(claimToKubeBind(claim)).toEqual({ claim: { group: '', resource: 'secrets', selector }, lost });
  });

  it('has no words for other resources', () => {
    expect(claimToKubeBind({ group: 'apps', resource: 'deployments' })).toBeUndefined();
  });
});

describe('claimFromKubeBind', () => {
  it.each([
    ['everything', { labelSelector: {} }, { names: ['*'], namespaces: ['*'] }],
    ['names', { namedResources: [{ name: 'a' }, { name: 'a' }] }, { names: ['a'], namespaces: ['*'] }],
    ['a name in a namespace', { namedResources: [{ name: 'a', namespace: 'x' }] }, { names: ['a'], namespaces: ['x'] }],
  ])('says %s', (_what, selector, expected) => {
    expect(claimFromKubeBind({ resource: 'secrets', selector })).toEqual({
      group: '',
      resource: 'secrets',
      selector: expected,
    });
  });

  it.each([
    [{ labelSelector: { matchLabels: { a: 'b' } } }],
    [{ references: [{ resource: 'databases', jsonPath: { name: 'x' } }] }],
  ])('refuses what Klutch would take for everything: %j', (selector) => {
    expect(() => claimFromKubeBind({ resource: 'secrets', selector })).toThrow(RangeError);
  });
});
