import { type Case, type Outcome, Recording, everyCase, judge, runCases } from '@hawser/conformance';
import { describeWithControlPlane } from '@hawser/testenv';
import { beforeAll, expect, it } from '@jest/globals';
import { type LeftOut, compared, knownDifference, leftOut } from './testing/conformance-cases.js';
import { startBehindGateway, startStraight } from './testing/conformance-servers.js';

const recording = new Recording();
const ONLY = process.env['HAWSER_CONFORMANCE'] ?? '';
const chosen: readonly Case[] = everyCase
  .filter((one) => leftOut(one, recording.transcript(one)) === undefined)
  .filter(({ group, title }) => `${group}: ${title}`.includes(ONLY))
  // All on one server, those that change it for everybody last.
  .map((one) => ({ ...one, server: one.server === 'alone' ? 'alone' : 'controllers' }));

/** The suite of API servers, asked by a consumer: straight and through the gateway the same comes. */
describeWithControlPlane(
  'a gateway answers as the API server behind it',
  () => {
    let straight: ReadonlyMap<Case, Outcome> = new Map();
    let through: ReadonlyMap<Case, Outcome> = new Map();

    beforeAll(async () => {
      straight = await runCases(chosen, startStraight);
      through = await runCases(chosen, () => startBehindGateway(chosen));
    }, 600_000);

    for (const one of chosen) {
      const difference = knownDifference(one);
      if (difference !== undefined) process.stderr.write(`skipped: ${one.group}: ${one.title}: ${difference}\n`);
      (difference === undefined ? it : it.skip)(`${one.group}: ${one.title}`, () => {
        const expected = straight.get(one);
        // A story that custom resources do not take, on no server: `builtIn`.
        if (expected === undefined || 'error' in expected) return;
        const actual = through.get(one);
        const found = actual === undefined || 'error' in actual ? actual : { transcript: compared(actual.transcript) };
        expect(judge({ name: 'straight', transcript: compared(expected.transcript) }, 'gateway', found)).toEqual([]);
      });
    }

    it('leaves out no case but by a rule, and asks most of what is about reads', () => {
      const counts: Partial<Record<LeftOut | 'asked', number>> = {};
      for (const one of everyCase) {
        const because = leftOut(one, recording.transcript(one)) ?? 'asked';
        counts[because] = (counts[because] ?? 0) + 1;
      }
      const builtIn = [...straight.values()].filter((outcome) => 'error' in outcome).length;
      process.stderr.write(`cases: ${JSON.stringify({ ...counts, builtIn })}\n`);
      expect(counts.asked ?? 0).toBeGreaterThan(440);
      expect(builtIn).toBeLessThan(40);
      for (const group of ['lists', 'selectors', 'watches', 'outputs', 'expiry'])
        expect(chosen.filter((one) => one.group === group).length).toBeGreaterThan(
          everyCase.filter((one) => one.group === group).length / 3,
        );
    });
  },
  {},
);
