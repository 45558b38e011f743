import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Copies } from './copies.js';
import type { Side } from './rules.js';

const sides = fc.constantFrom<Side>('consumer', 'provider');
const keys = fc.constantFrom('a/1', 'a/2', 'b/1');
const steps = fc.oneof(
  fc.record({ type: fc.constant('add' as const), side: sides, key: keys }),
  fc.record({ type: fc.constant('delete' as const), side: sides, key: keys }),
  fc.record({ type: fc.constant('settle' as const), key: keys, isKept: fc.boolean() }),
  fc.record({ type: fc.constant('judgeAgain' as const) }),
);

describe('the copies of a binding', () => {
  it('are counted as if each were looked at', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (taken) => {
        const copies = new Copies();
        const there = { consumer: new Set<string>(), provider: new Set<string>() };
        const kept = new Set<string>();
        const all = (): Set<string> => new Set([...there.consumer, ...there.provider]);
        for (const step of taken) {
          switch (step.type) {
            case 'add':
              copies.add(step.side, step.key);
              there[step.side].add(step.key);
              break;
            case 'delete':
              expect(copies.delete(step.side, step.key)).toBe(there[step.side].delete(step.key));
              // What is made anew is to be looked at anew.
              if (!all().has(step.key)) kept.delete(step.key);
              break;
            case 'settle':
              copies.settle(step.key, step.isKept);
              if (step.isKept && all().has(step.key)) kept.add(step.key);
              else kept.delete(step.key);
              break;
            case 'judgeAgain':
              copies.judgeAgain();
              kept.clear();
          }
          expect(copies.left).toBe([...all()].filter((key) => !kept.has(key)).length);
          for (const side of ['consumer', 'provider'] as const)
            expect([...copies.on(side)].sort()).toEqual([...there[side]].sort());
        }
      }),
    );
  });

  it('say whether a look has shown something else than the one before', () => {
    const copies = new Copies();
    copies.add('consumer', 'a/1');
    expect([copies.settle('a/1', true), copies.settle('a/1', true), copies.settle('a/1', false)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(copies.settle('a/2', true)).toBe(false);
  });
});
