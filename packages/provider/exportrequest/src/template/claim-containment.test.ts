import type { ClaimSelector } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { isWithinSelector } from './claim-containment.js';

const labelled = (matchLabels: Record<string, string>): ClaimSelector => ({ labelSelector: { matchLabels } });
const named = (...namedResources: NonNullable<ClaimSelector['namedResources']>): ClaimSelector => ({ namedResources });
const referenced = (name: string, more: object = {}): ClaimSelector => ({
  references: [{ group: 'example.com', resource: 'databases', jsonPath: { name }, ...more }],
});
const all: ClaimSelector = { labelSelector: {} };

const cases: readonly [string, ClaimSelector, ClaimSelector, boolean][] = [
  ['nothing, of nothing', {}, {}, true],
  ['nothing, of something', {}, labelled({ app: 'db' }), true],
  ['something, of nothing', labelled({ app: 'db' }), {}, false],
  ['everything, of everything', all, all, true],
  ['everything, of some', all, labelled({ app: 'db' }), false],
  ['everything, of names', all, named({ name: 'a' }), false],
  ['names, of everything', named({ name: 'a' }), all, true],
  ['references, of everything', referenced('.spec.secret'), all, true],
  ['the same labels', labelled({ app: 'db', tier: '1' }), labelled({ tier: '1', app: 'db' }), true],
  ['more labels, thus fewer objects', labelled({ app: 'db', tier: '1' }), labelled({ app: 'db' }), true],
  ['fewer labels, thus more objects', labelled({ app: 'db' }), labelled({ app: 'db', tier: '1' }), false],
  ['another value', labelled({ app: 'web' }), labelled({ app: 'db' }), false],
  [
    'a label, said as an expression',
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] } },
    labelled({ app: 'db' }),
    true,
  ],
  [
    'values in another order',
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }] } },
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] } },
    true,
  ],
  [
    'the contrary operator',
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] } },
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] } },
    false,
  ],
  [
    'a name that is offered',
    named({ name: 'a', namespace: 'x' }),
    named({ name: 'b' }, { name: 'a', namespace: 'x' }),
    true,
  ],
  ['a name that is offered in every namespace', named({ name: 'a', namespace: 'x' }), named({ name: 'a' }), true],
  ['a name in every namespace, offered in one', named({ name: 'a' }), named({ name: 'a', namespace: 'x' }), false],
  ['one name too many', named({ name: 'a' }, { name: 'b' }), named({ name: 'a' }), false],
  [
    'names beside labels that are offered',
    { ...labelled({ app: 'db' }), ...named({ name: 'a' }) },
    labelled({ app: 'db' }),
    false,
  ],
  ['the same reference', referenced('.spec.secret', { versions: [] }), referenced('.spec.secret'), true],
  ['a reference of another path', referenced('.spec.other'), referenced('.spec.secret'), false],
];

describe('isWithinSelector', () => {
  it.each(cases)('%s', (_what, wanted, offered, expected) => {
    expect(isWithinSelector(wanted, offered)).toBe(expected);
  });
});
