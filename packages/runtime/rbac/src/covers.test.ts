import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Attributes } from './attributes.js';
import { ruleAllows } from './attributes.js';
import { breakDown, compact, covers, differenceOf, uncovered } from './covers.js';
import type { PolicyRule } from './policy-rule.js';

const texts = (...all: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...all], { minLength: 1 });
const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: texts('get', 'list', 'create', '*'),
  apiGroups: texts('', 'apps', '*'),
  resources: texts('pods', 'pods/log', '*/log', '*'),
  resourceNames: fc.subarray(['a', 'b']),
});
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: texts('get', 'post', '*'),
  nonResourceURLs: texts('/a', '/a/b', '/a/*', '*'),
});
const rules = fc.array(fc.oneof(resourceRule, pathRule), { maxLength: 4 });
const request: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('get', 'list', 'create', 'delete'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'secrets'),
    subresource: fc.constantFrom('', 'log'),
    name: fc.constantFrom('', 'a', 'b', 'c'),
  }),
  fc.record({ verb: fc.constantFrom('get', 'post', 'put'), path: fc.constantFrom('/a', '/a/b', '/a/b/c', '/b') }),
);

const allows = (all: readonly PolicyRule[], attributes: Attributes): boolean =>
  all.some((rule) => ruleAllows(rule, attributes));

describe('rules that cover others', () => {
  it('allow everything the others allow', () => {
    fc.assert(
      fc.property(rules, rules, request, (owned, wanted, attributes) => {
        fc.pre(covers(owned, wanted) && allows(wanted, attributes));
        expect(allows(owned, attributes)).toBe(true);
      }),
    );
  });

  it('cover themselves, and what they are broken down to', () => {
    fc.assert(
      fc.property(rules, (all) => {
        expect(uncovered(all, all)).toEqual([]);
        expect(uncovered(all, all.flatMap(breakDown))).toEqual([]);
      }),
    );
  });
});

describe('rules made compact', () => {
  it('allow the same', () => {
    fc.assert(
      fc.property(rules, request, (all, attributes) => {
        expect(allows(compact(all.flatMap(breakDown)), attributes)).toBe(allows(all, attributes));
      }),
    );
  });
});

describe('a difference', () => {
  it('says what is missing and what is too much', () => {
    const actual: PolicyRule[] = [{ verbs: ['get', 'delete'], apiGroups: [''], resources: ['pods'] }];
    const wanted: PolicyRule[] = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }];
    expect(differenceOf(actual, wanted)).toEqual({
      missing: [{ verbs: ['list', 'watch'], apiGroups: [''], resources: ['pods'] }],
      excess: [{ verbs: ['delete'], apiGroups: [''], resources: ['pods'] }],
    });
  });

  it('does not mind the shape of rules', () => {
    const one: PolicyRule[] = [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['a', 'b'] }];
    expect(differenceOf(one, one.flatMap(breakDown))).toEqual({ missing: [], excess: [] });
  });

  it('is nothing once what is missing is added and what is too much is taken away', () => {
    fc.assert(
      fc.property(rules, rules, (actual, wanted) => {
        const { missing } = differenceOf(actual, wanted);
        expect(covers([...actual, ...missing], wanted)).toBe(true);
      }),
    );
  });
});
