import { equal } from '@hawser/json';
import { type SchemaNode, isNode, listOf } from '../definition.js';
import type { Keyword } from './keyword.js';

export const compareRules: Keyword = (before, after, { path, report }) => {
  const [was, is] = [rulesOf(before), rulesOf(after)];
  for (const [rule, entry] of is) {
    const old = was.get(rule);
    if (old === undefined) report('rule-added', path, `must satisfy the rule ${entry.text}`);
    else if (!equal(old.node, entry.node))
      report('rule-message-changed', path, `says something else when this rule is broken: ${entry.text}`);
  }
  for (const [rule, { text }] of was)
    if (!is.has(rule)) report('rule-removed', path, `need not satisfy the rule ${text} any more`);
};

/** Rules by the parts that decide their outcome. */
function rulesOf(schema: SchemaNode): ReadonlyMap<string, { readonly text: string; readonly node: SchemaNode }> {
  return new Map(
    listOf(schema['x-kubernetes-validations']).flatMap((node) => {
      if (!isNode(node) || typeof node['rule'] !== 'string') return [];
      const text = node['rule'];
      return [[`${node['optionalOldSelf'] === true ? '?' : ''}${text}`, { text, node }] as const];
    }),
  );
}
