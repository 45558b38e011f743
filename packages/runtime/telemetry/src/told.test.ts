import { describe, expect, it } from '@jest/globals';
import { createTold } from './told.js';

const about = { apiVersion: 'v1', kind: 'Namespace', name: 'team' };
const held = { type: 'Warning', reason: 'Held', message: 'It is held.' } as const;

describe('createTold', () => {
  it('tells of a state once for each key, of another state at once, and again after it was over', () => {
    const told: string[] = [];
    const teller = createTold({
      record: (_, { message }) => {
        told.push(message);
      },
      flush: () => Promise.resolve(),
    });
    teller.tell('a', about, held);
    teller.tell('a', about, held);
    teller.tell('b', about, held);
    expect(told).toEqual(['It is held.', 'It is held.']);
    teller.tell('a', about, { ...held, message: 'It is held by another.' });
    teller.tell('a', about, held);
    expect(told.slice(2)).toEqual(['It is held by another.', 'It is held.']);
    teller.forget('a');
    teller.tell('a', about, held);
    expect(told).toHaveLength(5);
  });
});
