import type { BindPlan } from '@hawser/bind';
import { describe, expect, it } from '@jest/globals';

import { consentsTo, consentsWithoutAsking } from './bind-consents.js';
import type { Terminal } from './task.js';

const terminal = (
  ...answers: readonly (string | undefined)[]
): { readonly terminal: Terminal; readonly asked: readonly string[] } => {
  const asked: string[] = [];
  const ask = (question: string): Promise<string | undefined> => Promise.resolve(answers[asked.push(question) - 1]);
  return {
    asked,
    terminal: { out: () => undefined, err: () => undefined, ask, env: {}, signal: new AbortController().signal },
  };
};
const claims = ['secrets (all)', 'configmaps (settings)'];

describe('consentsTo', () => {
  it('asks about each claim, and takes nothing but a yes for one', async () => {
    for (const [first, second] of [
      ['y', 'n'],
      ['YES ', ''],
      ['yes', 'yess'],
    ] as const) {
      const { terminal: given, asked } = terminal(first, second);
      expect(await consentsTo('databases.example.com', claims, 'ask', given)).toEqual(
        new Map([
          ['secrets (all)', 'Accepted'],
          ['configmaps (settings)', 'Rejected'],
        ]),
      );
      expect(
        asked.map((question) =>
          claims.some((claim) =>
            question.includes(`databases.example.com the provider wants to read and write ${claim} on this cluster`),
          ),
        ),
      ).toEqual([true, true]);
    }
  });

  it('asks nobody where it was said for all', async () => {
    const { terminal: given, asked } = terminal();
    expect(await consentsTo('x', claims, 'accept', given)).toEqual(new Map(claims.map((claim) => [claim, 'Accepted'])));
    expect(await consentsTo('x', claims, 'reject', given)).toEqual(new Map(claims.map((claim) => [claim, 'Rejected'])));
    expect(asked).toEqual([]);
  });

  it('refuses where nobody answers, half way through too', async () => {
    for (const answers of [[undefined], ['y', undefined]])
      expect(await consentsTo('x', claims, 'ask', terminal(...answers).terminal)).toMatchObject({
        reason: 'ClaimsUndecided',
        message: expect.stringContaining('secrets (all); configmaps (settings)'),
      });
  });
});

describe('consentsWithoutAsking', () => {
  const plan: BindPlan = { secret: 's', resources: [], steps: [], refusals: [], undecided: claims };
  it('is what was said beforehand to claims that are known', () => {
    expect(consentsWithoutAsking(plan, 'ask').size).toBe(0);
    expect(consentsWithoutAsking({ ...plan, undecided: undefined }, 'accept').size).toBe(0);
    expect([...consentsWithoutAsking(plan, 'accept').values()]).toEqual(['Accepted', 'Accepted']);
  });
});
