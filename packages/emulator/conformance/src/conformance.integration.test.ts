import { beforeAll, expect, it } from '@jest/globals';
import { describeWithControlPlane } from '@hawser/testenv';
import type { Case } from './case.js';
import { everyCase } from './every-case.js';
import { knownDifference } from './known-differences.js';
import { judge, judgeEmbedded } from './judge.js';
import { Recording } from './recorded.js';
import { starters } from './starters.js';
import { type Outcome, runCases } from './suite.js';

type Outcomes = ReadonlyMap<Case, Outcome>;

/** Full mode: both servers in the same run, and the recording, so that it cannot drift away from the real one. */
describeWithControlPlane(
  'the real server, the embedded one and the recording agree',
  () => {
    const recording = new Recording();
    let real: Outcomes = new Map();
    let embedded: Outcomes = new Map();

    beforeAll(async () => {
      real = await runCases(everyCase, starters.real);
      embedded = await runCases(everyCase, starters.embedded);
    }, 600_000);

    for (const one of everyCase) {
      const difference = knownDifference(one);
      if (difference !== undefined) process.stderr.write(`skipped: ${one.group}: ${one.title}: ${difference}\n`);
      (difference === undefined ? it : it.skip)(`${one.group}: ${one.title}`, () => {
        const actual = real.get(one);
        expect(judge({ name: 'recorded', transcript: recording.transcript(one) }, 'real', actual)).toEqual([]);
        expect(
          judgeEmbedded(
            one,
            {
              name: 'real',
              transcript: actual !== undefined && 'transcript' in actual ? actual.transcript : undefined,
            },
            embedded.get(one),
          ),
        ).toEqual([]);
      });
    }
  },
  { controllerManager: true },
);
