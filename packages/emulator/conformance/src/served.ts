import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonValue, stringify } from '@hawser/json';
import { type Answer, dig, textOf } from './answer.js';
import type { Calls } from './api.js';
import { groupPath } from './paths.js';

// The server caches an accepted token for ten seconds.
const patienceMs = 15_000;
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Whether the server's controllers have written a CRD's initial status. */
export function isEstablished(definition: Answer): boolean {
  const conditions = definition.at('status', 'conditions');
  return (
    Array.isArray(conditions) &&
    (conditions as readonly JsonValue[]).some(
      (one) => dig(one, ['type']) === 'Established' && dig(one, ['status']) === 'True',
    )
  );
}

/** A definition is served a moment after it is established, and each of its versions later. */
export async function untilServed(calls: Calls, created: Answer): Promise<void> {
  await poll(() => calls.get(`${definitionsPath}/${created.name}`), isEstablished);
  const group = created.text('spec', 'group');
  const resource = created.text('spec', 'names', 'plural');
  const versions = created.at('spec', 'versions');
  for (const version of Array.isArray(versions) ? (versions as readonly JsonValue[]) : []) {
    if (dig(version, ['served']) !== true) continue;
    await poll(
      () => calls.get(groupPath(group, textOf(dig(version, ['name'])), resource)),
      ({ status }) => status === 200,
    );
  }
}

/** Repeats a request until its answer is `done`, up to fifteen seconds. */
export async function poll(call: () => Promise<Answer>, done: (answer: Answer) => boolean): Promise<Answer> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await call();
    if (done(answer)) return answer;
    if (performance.now() > end)
      throw new Error(`not in time; the last answer was ${answer.status} ${stringify(answer.body)}`);
    await sleep(10);
  }
}
