import { expect } from '@jest/globals';
import { eventually, type RawResponse } from '@hawser/testenv';
import type { Attempt } from './attempts.js';
import { LONG } from './copies.js';
import type { IsolationWorld } from './isolation-world.js';

/**
 * Makes an attempt of a consumer and checks the outcome.
 * @throws if it differs from what the attempt states.
 */
export async function tryAttempt(world: IsolationWorld, attempt: Attempt): Promise<RawResponse> {
  const { namespace: own } = world.credentialOf(attempt);
  const { outcome } = attempt;
  switch (outcome.kind) {
    case 'refused': {
      const answer = await attemptUntilRefused(world, attempt, outcome.codes);
      expect({
        status: outcome.codes.includes(answer.status) ? 'refused' : answer.status,
        text: answer.text,
      }).toMatchObject({ status: 'refused' });
      if (answer.status === 403)
        expect({
          policy: answer.text.includes('ValidatingAdmissionPolicy'),
          quota: answer.text.includes('exceeded quota'),
        }).toEqual({ policy: attempt.stop === 'admission policy', quota: attempt.stop === 'quota' });
      return answer;
    }
    case 'possible': {
      const answer = await attemptOnce(world, attempt);
      expect({
        status: answer.status,
        text: outcome.codes.includes(answer.status) ? '' : answer.text,
      }).toEqual({ status: outcome.codes[0], text: '' });
      await eventually(() => expectReported(world, outcome.reason, outcome.about, own), LONG);
      return answer;
    }
    case 'ineffective': {
      const answer = await attemptOnce(world, attempt);
      await world.turn();
      const { text } = await world.look(outcome.path);
      for (const word of outcome.words) expect(text).not.toContain(world.fill(word));
      return answer;
    }
    case 'told': {
      const answer = await attemptOnce(world, attempt);
      expect(answer).toMatchObject({ status: 201 });
      await eventually(() => expectReported(world, outcome.reason, outcome.about, own), LONG);
      expect((await world.look(outcome.absent, own)).status).toBe(404);
      return answer;
    }
  }
}

/** Sends it as often as requested; returns the last answer. */
export async function attemptOnce(world: IsolationWorld, attempt: Attempt): Promise<RawResponse> {
  const { connection, namespace } = world.credentialOf(attempt);
  const { method, path, body, first = [], times = 1 } = attempt;
  for (const step of first) await world.send(connection, step, namespace);
  for (let n = 0; ; n++) {
    const counted = JSON.parse(JSON.stringify({ method, path, body }).replaceAll('{n}', String(n))) as Attempt;
    const answer = await world.send(connection, counted, namespace);
    if (n === times - 1 || answer.status === 403) return answer;
  }
}

/** A revocation takes the API server a moment; a right that was never granted must be refused at once. */
function attemptUntilRefused(world: IsolationWorld, attempt: Attempt, codes: readonly number[]): Promise<RawResponse> {
  if (attempt.with === undefined || attempt.with === 'greedy') return attemptOnce(world, attempt);
  return eventually(async () => {
    const found = await attemptOnce(world, attempt);
    expect(codes).toContain(found.status);
    return found;
  }, LONG);
}

async function expectReported(world: IsolationWorld, reason: string, path: string, own: string): Promise<void> {
  const about = await world.look(path, own);
  const events = await world.look('/api/v1/namespaces/{own}/events?limit=500', own);
  const name = world.fill(path, own).split('/').at(-1) ?? '';
  const ofObject = (
    JSON.parse(events.text) as {
      readonly items: readonly { readonly reason: string; readonly involvedObject: { readonly name: string } }[];
    }
  ).items.filter(({ involvedObject }) => involvedObject.name === name);
  expect(`${about.text}${JSON.stringify(ofObject)}`).toContain(`"${reason}"`);
}
