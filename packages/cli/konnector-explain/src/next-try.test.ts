import { expect, it } from '@jest/globals';

import { nextTry, nextTryOfAccepted } from './next-try.js';

const NOW = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

it.each<[string, string, string | undefined, string | undefined]>([
  ['a fresh refusal', 'RejectedByProvider', ago(0), 'Next try: within 2 s, or at once when the object changes.'],
  [
    'waits grow with the age',
    'ForbiddenByProvider',
    ago(60),
    'Next try: within 77 s, or within 30 s after the right is granted.',
  ],
  [
    'and end at five minutes',
    'ForbiddenOnConsumer',
    ago(86_400),
    'Next try: within 5 min, or within 30 s after the right is granted.',
  ],
  ['told late', 'KeepsFailing', ago(0), 'Next try: within 5 min, or within 30 s after the server works again.'],
  ['nobody knows since when', 'FailedOnProvider', undefined, 'Next try: within 5 min.'],
  ['an Event from the future', 'FailedOnProvider', ago(-60), 'Next try: within 5 min.'],
  ['something that a person has to change', 'ForeignCopy', ago(10), undefined],
])('%s', (_, reason, since, text) => {
  expect(nextTry(reason, since, NOW)).toBe(text);
});

it('is near where a right is there by now, and is not told of what only the consumer refuses', () => {
  expect(nextTryOfAccepted('ForbiddenByProvider', ago(86_400), NOW)).toBe('Next try: within 30 s.');
  expect(nextTryOfAccepted('RejectedByProvider', ago(86_400), NOW)).toBe('Next try: within 5 min.');
  expect(nextTryOfAccepted('ForbiddenOnConsumer', ago(10), NOW)).toBeUndefined();
});

it('is as long as the konnector waits at most', () => {
  // The waits of a refused step: 1, 2, 4, … 300 s, each up to a fifth shorter; the first two tries follow within a second.
  for (const short of [0.8, 1]) {
    let age = 0;
    for (let attempt = 0; attempt < 20; attempt++) {
      const wait = Math.min(300, 2 ** attempt) * short;
      const predicted =
        Number(
          /within (?<most>\d+) (?<unit>s|min)/u.exec(nextTry('ForbiddenByProvider', ago(age), NOW) ?? '')?.groups?.[
            'most'
          ],
        ) * (age * 1.25 + 2 >= 120 ? 60 : 1);
      expect(predicted).toBeGreaterThanOrEqual(Math.min(300, 2 ** attempt));
      age += wait;
    }
  }
});
