import { expect, it } from '@jest/globals';

import { heldConditionOf, isAbout } from './held-condition.js';
import { holds } from './hold.js';

it("tells apart schemas of which one's name ends in the other's", () => {
  const message = heldConditionOf([holds.gone('olddatabases.example.com'), holds.gone('queues.example.com')])?.message;
  expect(
    ['olddatabases.example.com', 'queues.example.com', 'databases.example.com', 'example.com'].map((name) =>
      isAbout(message, name),
    ),
  ).toEqual([true, true, false, false]);
  expect(isAbout(undefined, 'queues.example.com')).toBe(false);
});
