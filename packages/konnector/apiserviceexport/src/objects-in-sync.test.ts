import { describe, expect, it } from '@jest/globals';

import type { ObjectProblem } from '@hawser/controller';

import { type ResourceProblem, objectsInSync, resourceProblemText, unreportedProblems } from './objects-in-sync.js';

const now = Date.UTC(2026, 0, 2);
const ready = { type: 'Connected', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' };
const problem = (object: string, since = 0): ObjectProblem => ({
  object,
  since,
  reason: 'RejectedByProvider',
  message: `${object} is too large.`,
  actor: 'consumer',
});

it('leaves a binding alone that has never had a problem', () => {
  const before = { conditions: [ready] };
  expect(objectsInSync(before, { resources: [], objects: [] }, now)).toBe(before);
});

it('counts the problems, names the oldest, and does not keep Ready from being True', () => {
  const { conditions } = objectsInSync(
    { conditions: [ready] },
    { resources: [], objects: [problem('b', 2), problem('a', 1), problem('c', 3), problem('d', 4)] },
    now,
  );
  expect(conditions?.find(({ type }) => type === 'ObjectsInSync')).toMatchObject({
    status: 'False',
    reason: 'RejectedByProvider',
    message: expect.stringMatching(/^4 objects are not in step\. a: .* b: .* c: .* And 1 more\.$/u),
  });
  expect(conditions?.find(({ type }) => type === 'ObjectsInSync')?.severity ?? '').toBe('');
  expect(conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
});

it('says when all is well again', () => {
  const before = objectsInSync({ conditions: [ready] }, { resources: [], objects: [problem('a')] }, now);
  expect(
    objectsInSync(before, { resources: [], objects: [] }, now).conditions?.find(({ type }) => type === 'ObjectsInSync'),
  ).toMatchObject({ status: 'True' });
});

it('keeps its message short', () => {
  const { conditions } = objectsInSync(
    {},
    { resources: [], objects: [{ ...problem('a'), message: 'x'.repeat(5_000) }] },
    now,
  );
  expect(conditions?.find(({ type }) => type === 'ObjectsInSync')?.message).toHaveLength(1_000);
});

it('puts what concerns a whole resource before its objects', () => {
  const { conditions } = objectsInSync(
    {},
    {
      resources: [
        { resource: 'zones.example.com', reason: 'NoPlaceForCopies', message: 'No place.', actor: 'provider' },
      ],
      objects: [problem('a')],
    },
    now,
  );
  expect(conditions?.find(({ type }) => type === 'ObjectsInSync')).toMatchObject({
    reason: 'NoPlaceForCopies',
    message:
      'zones.example.com: NoPlaceForCopies: No place. 1 object is not in step. a: RejectedByProvider: a is too large.',
  });
});

it('gives the missing right as its reason, whatever else is not in step', () => {
  const forbidden = { ...problem('b', 1), reason: 'ForbiddenByProvider' };
  const reason = (resources: Parameters<typeof objectsInSync>[1]['resources']): string | undefined =>
    objectsInSync(
      {},
      { resources, objects: [{ ...problem('a'), reason: 'Orphaned' }, forbidden] },
      now,
    ).conditions?.find(({ type }) => type === 'ObjectsInSync')?.reason;
  expect(reason([])).toBe('ForbiddenByProvider');
  expect(
    reason([{ resource: 'zones.example.com', reason: 'NoPlaceForCopies', message: 'No place.', actor: 'provider' }]),
  ).toBe('ForbiddenByProvider');
});

describe('unreportedProblems', () => {
  const ofResource: ResourceProblem = {
    resource: 'zones.example.com',
    reason: 'NoPlaceForCopies',
    message: 'x'.repeat(300),
    actor: 'provider',
  };
  const text = resourceProblemText(ofResource);

  it.each<[string, ReadonlySet<string>, string, readonly ResourceProblem[]]>([
    ['nothing was told', new Set(), '', [ofResource]],
    ['another one was told', new Set([`${text}!`]), 'databases.example.com: NoPlaceForCopies: x', [ofResource]],
    ['it was told', new Set([text]), '', []],
    [
      'the condition has it',
      new Set(),
      `users.example.com: UnknownIsolation: x ${text} 2 objects are not in step.`,
      [],
    ],
    ['the condition has as much of it as tells it from others', new Set(), text.slice(0, 200), []],
    ['the condition has less of it', new Set(), text.slice(0, 199), [ofResource]],
  ])('when %s', (_, reported, message, unreported) => {
    expect(unreportedProblems([ofResource], reported, message)).toEqual(unreported);
  });
});
