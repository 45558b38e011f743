import { describe, expect, it } from '@jest/globals';
import { type AskedClaim, claimable } from './claim.js';
import { type ClaimingBinding, planClaims } from './plan-claims.js';

const apiExport: ClaimingBinding['apiExport'] = {
  spec: {
    informerScope: 'Namespaced',
    isolation: 'Prefixed',
    resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
  },
};
const on = (resource: string): AskedClaim => ({ group: '', resource, selector: { labelSelector: {} } });
const binding = (name: string, ...resources: readonly string[]): ClaimingBinding => ({
  name,
  apiExport,
  claims: resources.map(on),
});

describe('planClaims', () => {
  it.each<[string, readonly ClaimingBinding[], Readonly<Record<string, readonly string[]>>]>([
    ['no binding', [], {}],
    ['a binding without claims', [binding('a')], {}],
    ['claims on two resources', [binding('a', 'secrets', 'configmaps')], { secrets: ['a'], configmaps: ['a'] }],
    [
      'claims of two bindings on one resource, together',
      [binding('a', 'secrets'), binding('b', 'secrets')],
      { secrets: ['a', 'b'] },
    ],
    ['two claims of a binding on one resource', [binding('a', 'secrets', 'secrets')], { secrets: ['a', 'a'] }],
    ['what can be claimed alone', [binding('a', 'pods'), binding('b', 'secrets')], { secrets: ['b'] }],
  ])('serves %s', (_, bindings, served) => {
    const { wanted } = planClaims(bindings, claimable);
    expect(
      Object.fromEntries([...wanted].map(([resource, claims]) => [resource, claims.map((claim) => claim.binding)])),
    ).toEqual(served);
  });

  it('has a reading of each binding, with what keeps its claims from being served', () => {
    const { readings } = planClaims([binding('a'), binding('b', 'pods', 'secrets')], claimable);
    expect(readings.get('a')).toEqual({ claims: [], problems: [] });
    expect(readings.get('b')).toMatchObject({
      claims: [{ binding: 'b', resource: { resource: 'secrets' } }],
      problems: [{ reason: 'ClaimNotSupported' }],
    });
  });
});
