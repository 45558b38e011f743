import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Case } from './case.js';
import { everyCase } from './every-case.js';
import { differentCases, knownDifference } from './known-differences.js';
import { judgeEmbedded } from './judge.js';
import { Recording } from './recorded.js';
import { starters } from './starters.js';
import { type Outcome, runCases } from './suite.js';
import { unsupportedCases } from './unsupported.js';

/** Fast mode: the embedded server against what the real one answered when it was recorded. */
describe('the embedded server answers as recorded', () => {
  const recording = new Recording();
  let outcomes: ReadonlyMap<Case, Outcome> = new Map();

  beforeAll(async () => {
    outcomes = await runCases(everyCase, starters.embedded);
  }, 300_000);

  for (const one of everyCase) {
    const difference = knownDifference(one);
    if (difference !== undefined) process.stderr.write(`skipped: ${one.group}: ${one.title}: ${difference}\n`);
    (difference === undefined ? it : it.skip)(`${one.group}: ${one.title}`, () => {
      expect(
        judgeEmbedded(one, { name: 'recorded', transcript: recording.transcript(one) }, outcomes.get(one)),
      ).toEqual([]);
    });
  }
});

describe('the cases', () => {
  const names = everyCase.map(({ group, title }) => `${group}: ${title}`);

  it('have names of their own', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  it('are there, if they are listed as unsupported or different', () => {
    expect([...unsupportedCases, ...differentCases].filter((name) => !names.includes(name))).toEqual([]);
  });
});
