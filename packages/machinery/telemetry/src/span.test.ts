import { describe, expect, it } from '@jest/globals';
import { withSpan } from './span.js';

describe('withSpan', () => {
  it('passes on what the work gives or throws, without any SDK', async () => {
    await expect(withSpan('t', 's', () => Promise.resolve(1), { a: 'b' })).resolves.toBe(1);
    await expect(withSpan('t', 's', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
