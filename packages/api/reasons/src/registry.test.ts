import { describe, expect, it } from '@jest/globals';

import { conditionsMarkdown } from './markdown.js';
import { findReason, reasonSubjects } from './registry.js';

const all = reasonSubjects.flatMap(({ kind, groups }) =>
  groups.flatMap((group) => group.reasons.map((entry) => ({ kind, condition: group.condition ?? '', ...entry }))),
);

describe('the registry of reasons', () => {
  it('has each reason once under each condition', () => {
    const keys = all.map(({ kind, condition, reason }) => `${kind}/${condition}/${reason}`);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it.each(all)('$kind $condition $reason has words that fit into a table', ({ reason, cause, remedy }) => {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/u);
    for (const text of [cause, remedy]) {
      expect(text).not.toBe('');
      expect(text).not.toMatch(/\n|\.$/u);
    }
  });

  it('tells a reason of an object from the same word of a binding', () => {
    expect(findReason('BoundObject', 'CustomResourceDefinitionTerminating')?.remedy).toContain('hawser.dev/release');
    expect(findReason('APIServiceBinding', 'CustomResourceDefinitionTerminating', 'SchemaInSync')?.remedy).toContain(
      'delete the binding',
    );
  });

  it('looks beyond a condition that does not know the reason, and does not invent any', () => {
    expect(findReason('APIServiceBinding', 'KubeconfigSecretNotFound', 'Ready')?.actor).toBe('consumer');
    expect(findReason('APIServiceBinding', 'ReasonOfSomebodyElse', 'Connected')).toBeUndefined();
    expect(findReason('Deployment', 'KubeconfigSecretNotFound')).toBeUndefined();
  });

  it('is a document with a row for each reason', () => {
    const text = conditionsMarkdown(reasonSubjects);
    expect(text.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(all.length);
  });
});
