import { ApiError } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { type ConsumerStanding, dialectKnown, inEachDialect } from './provider-dialects.js';

describe('dialectKnown', () => {
  const known = (kubeBind: ConsumerStanding, klutch: ConsumerStanding): string | undefined => dialectKnown(new Map([['kube-bind', kubeBind], ['klutch', klutch]]));
  it.each<[ConsumerStanding, ConsumerStanding, string | undefined]>([
    ['known', 'nothing', 'kube-bind'], ['known', 'served', 'kube-bind'], ['nothing', 'known', 'klutch'], ['served', 'known', 'klutch'],
    ['nothing', 'served', 'klutch'], ['served', 'nothing', 'kube-bind'], ['served', 'served', undefined], ['nothing', 'nothing', undefined],
  ])('kube-bind %s, Klutch %s: %s', (kubeBind, klutch, name) => { expect(known(kubeBind, klutch)).toBe(name); });

  it('does not choose where both know the consumer', () => { expect(() => known('known', 'known')).toThrow('--dialect'); });
});

describe('inEachDialect', () => {
  const missing = new ApiError('NotFound', 'no such API', { client: 'provider', verb: 'list', path: '/' } as never);
  const reading = (answers: Readonly<Record<string, readonly string[] | Error>>) => ({ name }: { readonly name: string }): Promise<readonly string[]> => {
    const answer = answers[name] ?? [];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };

  it('reads every dialect, kube-bind first, and does without one that is not there', async () => {
    expect(await inEachDialect('auto', reading({ 'kube-bind': ['a'], klutch: ['b'] }))).toEqual(['a', 'b']);
    expect(await inEachDialect('auto', reading({ 'kube-bind': missing, klutch: ['b'] }))).toEqual(['b']);
    expect(await inEachDialect('auto', reading({ 'kube-bind': ['a'], klutch: missing }))).toEqual(['a']);
    expect(await inEachDialect('klutch', reading({ 'kube-bind': ['a'], klutch: ['b'] }))).toEqual(['b']);
  });

  it('fails where the only one fails, where all do, and with what is no absence', async () => {
    await expect(inEachDialect('klutch', reading({ klutch: missing }))).rejects.toBe(missing);
    await expect(inEachDialect('auto', reading({ 'kube-bind': missing, klutch: missing }))).rejects.toBe(missing);
    const broken = new Error('broken');
    await expect(inEachDialect('auto', reading({ 'kube-bind': ['a'], klutch: broken }))).rejects.toBe(broken);
  });
});
