import { FakeClock } from '@hawser/clock';
import { createDeletionBudget } from '@hawser/controller';
import { expect, it } from '@jest/globals';

import type { Decision } from './decision.js';
import { createMissingOriginals, heldDeletionsProblem } from './missing-originals.js';

const secrets = { group: '', version: 'v1', resource: 'secrets' };
const isMissing: Decision = { actions: [], verdict: { kind: 'orphan', owner: 'consumer', message: 'x' } };

it('shares one budget between the resources of a connection, and names the copies that wait', () => {
  const budget = createDeletionBudget({ clock: new FakeClock(), perMinute: 2 });
  const ofSecrets = createMissingOriginals(secrets, budget);
  const ofConfigMaps = createMissingOriginals({ ...secrets, resource: 'configmaps' }, budget);
  ofSecrets.settled('team/a', isMissing, 'u1');
  ofSecrets.settled('team/b', isMissing, 'u2');
  expect(ofSecrets.answer('team/a')).toBe('allowed');
  ofConfigMaps.settled('team/c', isMissing, 'u3');
  expect([ofSecrets.answer('team/a'), ofConfigMaps.answer('team/c'), ofConfigMaps.answer('team/a')]).toEqual([
    'held',
    'held',
    undefined,
  ]);
  expect(budget.held === undefined ? undefined : heldDeletionsProblem(budget.held, 2).message).toMatch(
    /^3 claimed copies would be deleted.*configmaps team\/c on the provider, secrets team\/a on the provider, secrets team\/b on the provider\. .*"hawser\.dev\/approve-deletions: 3-[0-9a-f]{8}"\.$/u,
  );
});

it('holds no more when the originals are back, and keeps what is paused', () => {
  const budget = createDeletionBudget({ clock: new FakeClock(), perMinute: 0 });
  const missing = createMissingOriginals(secrets, budget);
  missing.settled('team/a', isMissing, 'u1');
  missing.settled(
    'team/a',
    {
      actions: [],
      verdict: { kind: 'held', reason: 'Paused', message: 'x', actor: 'operator' },
      withheld: [
        {
          type: 'deleteCopy',
          side: 'provider',
          copy: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
          why: 'originalGone',
        },
      ],
    },
    'u1',
  );
  missing.settled('team/a', { actions: [], verdict: { kind: 'progressing', waitingFor: 'cache' } }, 'u1');
  expect(budget.held?.count).toBe(1);
  missing.settled('team/a', { actions: [], verdict: { kind: 'inStep', owner: 'consumer' } }, 'u1');
  expect([budget.held, missing.has('team/a')]).toEqual([undefined, false]);
});

it('spends what goes, and leaves without a word about the rest', () => {
  const budget = createDeletionBudget({ clock: new FakeClock(), perMinute: 1 });
  const missing = createMissingOriginals(secrets, budget);
  missing.settled('team/a', isMissing, 'u1');
  missing.deleted('team/a');
  missing.settled('team/b', isMissing, 'u2');
  expect(missing.answer('team/b')).toBe('held');
  missing.leave();
  expect([missing.keys, budget.held]).toEqual([[], undefined]);
});
