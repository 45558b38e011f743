import { describe, expect, it } from '@jest/globals';
import { createStateEvents } from './state-events.js';

const about = { apiVersion: 'v1', kind: 'Namespace', name: 'team' };
const held = { type: 'Warning', reason: 'Held', message: 'It is held.' } as const;

describe('createStateEvents', () => {
  it('tells of a state once for each key, of another state at once, and again after it was over', () => {
    const messages: string[] = [];
    const states = createStateEvents({
      record: (_, { message }) => {
        messages.push(message);
      },
      flush: () => Promise.resolve(),
    });
    states.record('a', about, held);
    states.record('a', about, held);
    states.record('b', about, held);
    expect(messages).toEqual(['It is held.', 'It is held.']);
    states.record('a', about, { ...held, message: 'It is held by another.' });
    states.record('a', about, held);
    expect(messages.slice(2)).toEqual(['It is held by another.', 'It is held.']);
    states.forget('a');
    states.record('a', about, held);
    expect(messages).toHaveLength(5);
  });
});
