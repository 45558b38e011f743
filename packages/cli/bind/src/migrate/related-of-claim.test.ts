import type { PermissionClaim } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';

import { relatedOfClaim } from './related-of-claim.js';

const claim = (selector: PermissionClaim['selector'], resource = 'secrets', group = ''): PermissionClaim => ({
  group,
  resource,
  selector,
});
const labelSelector = { matchLabels: { app: 'db' } };

describe('a permission claim in the words of core.kbind.io', () => {
  it.each<[string, PermissionClaim, readonly object[]]>([
    [
      'by labels',
      claim({ labelSelector }),
      [
        { group: '', resource: 'secrets', direction: 'FromProvider', selector: { labelSelector } },
        { group: '', resource: 'secrets', direction: 'FromConsumer', selector: { labelSelector } },
      ],
    ],
    [
      'by labels or names',
      claim({ labelSelector, namedResources: [{ name: 'one' }, { name: 'two', namespace: '' }] }),
      [
        { direction: 'FromProvider', selector: { labelSelector } },
        { direction: 'FromProvider', selector: { names: ['one', 'two'] } },
        { direction: 'FromConsumer', selector: { labelSelector } },
        { direction: 'FromConsumer', selector: { names: ['one', 'two'] } },
      ],
    ],
    ['of nothing', claim({}), []],
  ])('%s', (_, of, rules) => {
    expect(relatedOfClaim(of)).toMatchObject({ kind: 'same', rules });
  });

  it.each<[string, PermissionClaim]>([
    ['ServiceAccounts', claim({ labelSelector }, 'serviceaccounts')],
    ['another group', claim({ labelSelector }, 'secrets', 'example.com')],
    ['a namespace', claim({ namedResources: [{ name: 'one', namespace: 'team' }] })],
    ['everything', claim({ labelSelector: {} }, 'configmaps')],
    ['a selector without a requirement', claim({ labelSelector: { matchLabels: {}, matchExpressions: [] } })],
    [
      'an operator that only kube-bind ignores',
      claim({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] } }),
    ],
    [
      'an operator without its values',
      claim({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn' }] } }),
    ],
    ['references', claim({ labelSelector, references: [{ resource: 'zones', jsonPath: { name: 'spec.secret' } }] })],
  ])('has no equal with %s', (_, of) => {
    expect(relatedOfClaim(of).kind).toBe('none');
  });
});
