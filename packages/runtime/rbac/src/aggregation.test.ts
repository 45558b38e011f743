import { describe, expect, it } from '@jest/globals';
import { aggregateRules, isSelected } from './aggregation.js';
import type { LabelSelector, PolicyRule, Role } from './policy-rule.js';

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, labels: Readonly<Record<string, string>>, ...rules: readonly PolicyRule[]): Role => ({
  metadata: { name, labels },
  rules,
});

describe('a ClusterRole that gathers', () => {
  it('has the rules of those it selects, by name, each once', () => {
    const roles = [
      role('b', { to: 'x' }, rule('b'), rule('c')),
      role('a', { to: 'x' }, rule('a'), rule('c')),
      role('other', { to: 'y' }, rule('d')),
    ];
    expect(aggregateRules('x', { clusterRoleSelectors: [{ matchLabels: { to: 'x' } }] }, roles)).toEqual([
      rule('a'),
      rule('c'),
      rule('b'),
    ]);
  });

  it('does not gather from itself', () => {
    expect(aggregateRules('x', { clusterRoleSelectors: [{}] }, [role('x', {}, rule('a'))])).toEqual([]);
  });
});

describe('a selector', () => {
  it.each<[LabelSelector, boolean]>([
    [{}, true],
    [{ matchLabels: { a: '1' } }, true],
    [{ matchLabels: { a: '2' } }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false],
    [{ matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['1'] }] }, true],
    [{ matchExpressions: [{ key: 'b', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'b', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, false],
    [{ matchLabels: { a: '1' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }, false],
  ])('%j: %s', (selector, selected) => {
    expect(isSelected(selector, { a: '1', b: '' })).toBe(selected);
  });
});
