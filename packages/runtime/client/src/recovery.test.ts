import { FakeClock } from '@hawser/clock';
import { beforeEach, expect, it } from '@jest/globals';

import { Outages, isAnswer } from './recovery.js';

let clock: FakeClock;
let answers: boolean;
let probes: number;
let recoveries: number;
let outages: Outages;

beforeEach(() => {
  clock = new FakeClock();
  [answers, probes, recoveries] = [true, 0, 0];
  outages = new Outages({
    clock,
    random: () => 0,
    probe: () => {
      probes++;
      return Promise.resolve(answers);
    },
  });
});

const listen = (): { close(): void } =>
  outages.onRecovered(() => {
    recoveries++;
  });

it('tells that a server answers again, which it asks ever less often, every five seconds at least', async () => {
  listen();
  answers = false;
  outages.suspect();
  await clock.advance(60_000);
  expect(probes).toBe(3 + 11);
  answers = true;
  await clock.advance(5_000);
  expect(recoveries).toBe(1);
  await clock.advance(60_000);
  expect([probes, recoveries]).toEqual([15, 1]);
});

it('takes a single request without an answer for no outage', async () => {
  listen();
  for (let times = 0; times < 5; times++) {
    outages.suspect();
    await clock.advance(1_000);
  }
  expect([probes, recoveries]).toEqual([5, 0]);
});

it('hears of the end from a request, too', async () => {
  listen();
  answers = false;
  outages.suspect();
  await clock.advance(1_000);
  outages.answered();
  await clock.advance(60_000);
  expect([probes, recoveries]).toEqual([1, 1]);
});

it('asks nothing where nobody listens, and nothing more once it is closed', async () => {
  outages.suspect();
  await clock.advance(10_000);
  expect(probes).toBe(0);
  const listener = listen();
  answers = false;
  outages.suspect();
  await clock.advance(1_000);
  listener.close();
  outages.close();
  answers = true;
  await clock.advance(60_000);
  expect([probes, recoveries]).toEqual([1, 0]);
});

it.each([
  [200, true],
  [404, true],
  [500, true],
  [501, true],
  [502, false],
  [503, false],
  [504, false],
])('a %d is an answer: %s', (status, answer) => {
  expect(isAnswer(status)).toBe(answer);
});

it('has one proof for all that wait after a loss, and another one after the next', async () => {
  let proofs = 0;
  let isRight = true;
  const proof = outages.proveBeforeWrites(() => {
    proofs++;
    return isRight ? Promise.resolve() : Promise.reject(new Error('another cluster answers'));
  });
  await outages.proven();
  expect([outages.isUnproven, proofs]).toEqual([false, 0]);
  outages.lost();
  expect(outages.isUnproven).toBe(true);
  await Promise.all([outages.proven(), outages.proven()]);
  expect([outages.isUnproven, proofs]).toEqual([false, 1]);
  isRight = false;
  outages.suspect();
  await expect(outages.proven()).rejects.toThrow('another cluster answers');
  expect([outages.isUnproven, proofs, outages.losses]).toEqual([true, 2, 2]);
  proof.close();
  await outages.proven();
  expect([outages.isUnproven, proofs]).toEqual([false, 2]);
});

it('does not take a proof for one that was begun before the loss', async () => {
  const begun = Promise.withResolvers<undefined>();
  outages.proveBeforeWrites(() => begun.promise);
  outages.lost();
  const proven = outages.proven();
  outages.lost();
  begun.resolve(undefined);
  await proven;
  expect(outages.isUnproven).toBe(true);
});
