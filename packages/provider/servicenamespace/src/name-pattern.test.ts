import { expect, it } from '@jest/globals';
import { matchesAny } from './name-pattern.js';

it.each<[string, string, boolean]>([
  ['team-a', 'team-a', true],
  ['team-a', 'team', false],
  ['team', 'team-a', false],
  ['team-a', '*', true],
  ['', '*', true],
  ['team-a', 'team-*', true],
  ['team-', 'team-*', true],
  ['steam-a', 'team-*', false],
  ['a-team', '*-team', true],
  ['a-team-b', '*-team', false],
  ['aba', 'ab*ba', false],
  ['abba', 'ab*ba', true],
  ['a-x-b-x-c', 'a*x*c', true],
  ['a-x-c', 'a*x*x*c', false],
  ['team.a', 'team?a', false],
  ['a', '', false],
])('%s and %s: %s', (name, pattern, expected) => {
  expect(matchesAny(name, ['nothing', pattern])).toBe(expected);
});
