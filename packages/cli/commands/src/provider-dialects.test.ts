import { ApiError, type ApiErrorCode } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { type ConsumerStanding, dialectKnown, inEachDialect } from './provider-dialects.js';

describe('dialectKnown', () => {
  const known = (kubeBind: ConsumerStanding, klutch: ConsumerStanding): string | undefined =>
    dialectKnown(
      new Map([
        ['kube-bind', kubeBind],
        ['klutch', klutch],
      ]),
    );
  it.each<[ConsumerStanding, ConsumerStanding, string | undefined]>([
    ['known', 'nothing', 'kube-bind'],
    ['known', 'served', 'kube-bind'],
    ['nothing', 'known', 'klutch'],
    ['served', 'known', 'klutch'],
    ['nothing', 'served', 'klutch'],
    ['served', 'nothing', 'kube-bind'],
    ['served', 'served', undefined],
    ['nothing', 'nothing', undefined],
  ])('kube-bind %s, Klutch %s: %s', (kubeBind, klutch, name) => {
    expect(known(kubeBind, klutch)).toBe(name);
  });

  it('does not choose where both know the consumer', () => {
    expect(() => known('known', 'known')).toThrow('--dialect');
  });
});

describe('inEachDialect', () => {
  const refusal = (code: ApiErrorCode): ApiError =>
    new ApiError(code, `${code} it is`, { cluster: 'provider', verb: 'list', resource: 'clusterbindings' });
  const missing = refusal('NotFound');
  const messages: string[] = [];
  const inEach = (
    asked: 'auto' | 'klutch',
    answers: Readonly<Record<string, readonly string[] | Error>>,
    groups: readonly string[] = [],
  ): ReturnType<typeof inEachDialect<string>> => {
    messages.length = 0;
    return inEachDialect(asked, {
      client: {
        raw: (_, path) =>
          groups.some((group) => path === `/apis/${group}`) ? Promise.resolve({}) : Promise.reject(missing),
      },
      read({ name }) {
        const answer = answers[name] ?? [];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      print: (text) => {
        messages.push(text);
      },
      signal: new AbortController().signal,
    });
  };

  it('reads every dialect, kube-bind first, and does without one that is not there', async () => {
    expect(await inEach('auto', { 'kube-bind': ['a'], klutch: ['b'] })).toEqual({
      found: ['a', 'b'],
      isComplete: true,
    });
    expect(await inEach('auto', { 'kube-bind': missing, klutch: ['b'] })).toEqual({ found: ['b'], isComplete: true });
    expect(await inEach('auto', { 'kube-bind': ['a'], klutch: missing })).toEqual({ found: ['a'], isComplete: true });
    expect(await inEach('klutch', { 'kube-bind': ['a'], klutch: ['b'] })).toEqual({ found: ['b'], isComplete: true });
    expect(await inEach('auto', { 'kube-bind': ['a'], klutch: refusal('Forbidden') })).toEqual({
      found: ['a'],
      isComplete: true,
    });
    expect(messages).toEqual([]);
  });

  it('says which dialect it may not read', async () => {
    expect(await inEach('auto', { 'kube-bind': ['a'], klutch: refusal('Forbidden') }, ['klutch.anynines.com'])).toEqual(
      { found: ['a'], isComplete: false },
    );
    expect(messages).toEqual(['What there is in klutch.anynines.com is left out: Forbidden it is']);
  });

  it('fails where the only one fails, where all do, and with what is no absence', async () => {
    await expect(inEach('klutch', { klutch: missing })).rejects.toThrow(
      'this cluster is not a provider: it does not serve the exports of klutch.anynines.com.',
    );
    await expect(inEach('auto', { 'kube-bind': missing, klutch: missing })).rejects.toThrow(
      'this cluster is not a provider: it does not serve the exports of kube-bind.io or klutch.anynines.com.',
    );
    const refused = refusal('Forbidden');
    await expect(inEach('auto', { 'kube-bind': refused, klutch: missing })).rejects.toBe(refused);
    const unreachable = [refusal('Unreachable'), refusal('Unreachable')] as const;
    await expect(inEach('auto', { 'kube-bind': unreachable[0], klutch: unreachable[1] })).rejects.toBe(unreachable[0]);
    const broken = new Error('broken');
    await expect(inEach('auto', { 'kube-bind': ['a'], klutch: broken })).rejects.toBe(broken);
  });
});
