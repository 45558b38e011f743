import { describe, expect, it } from '@jest/globals';
import { equal } from '@hawser/json';
import fc from 'fast-check';
import { share, unshare } from './shared-values.js';

const long = { text: 'x'.repeat(100), list: [1, 2, 3] };

describe('values that occur more than once', () => {
  it('are written once', () => {
    expect(share([long, { deep: long }, long])).toEqual({
      values: [long],
      content: [{ $: 0 }, { deep: { $: 0 } }, { $: 0 }],
    });
  });

  it('come back as they were', () => {
    const json = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'medium' },
        fc.constant(long),
        fc.constant({ list: [long, 5], __proto__: null }),
        fc.integer(),
        fc.array(tie('node')),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('node')),
      ),
    })).node;
    fc.assert(fc.property(json, (value) => equal(unshare(share(value as never)), value)));
  });
});
