import { ApiError, type KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { UnderWay } from './under-way.js';

const cached = (...names: readonly string[]): readonly KubeObject[] =>
  names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
const request = { method: 'POST', path: '/api/v1/namespaces' } as unknown as ApiError['request'];
const refused = new ApiError('Forbidden', 'not today', request, {
  httpStatus: 403,
  status: { apiVersion: 'v1', kind: 'Status', code: 403 } as never,
});
const lost = new ApiError('Unreachable', 'the connection broke', request);
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => 'failed');

it('counts what is in the cache and what is being made, each once and for its owner', async () => {
  const underWay = new UnderWay({ now: () => 0 });
  const made = Promise.withResolvers<string>();
  const first = underWay.during('one', 'a', () => made.promise);
  const second = settled(underWay.during('one', 'b', () => Promise.reject(refused)));
  expect([
    underWay.count('one', cached('x')),
    underWay.count('one', cached('x', 'a')),
    underWay.count('other', cached('x')),
  ]).toEqual([3, 3, 1]);
  expect(await second).toBe('failed');
  expect(underWay.count('one', cached('x'))).toBe(2);
  expect(underWay.count('one', cached('x'), 'a')).toBe(1);
  made.resolve('done');
  expect(await first).toBe('done');
  expect([underWay.count('one', cached('x')), underWay.isUnsure('one', cached('x'))]).toEqual([1, false]);
});

describe('an object of whose creation the answer was lost', () => {
  const unsure = async (): Promise<{ readonly underWay: UnderWay; readonly clock: { now: number } }> => {
    const clock = { now: 1_000 };
    const underWay = new UnderWay({ now: () => clock.now, unsureForMs: 500 });
    await settled(underWay.during('one', 'a', () => Promise.reject(lost)));
    return { underWay, clock };
  };

  it('counts on, but not against itself', async () => {
    const { underWay } = await unsure();
    expect([
      underWay.count('one', cached('x')),
      underWay.count('one', cached('x'), 'a'),
      underWay.isUnsure('one', cached('x')),
    ]).toEqual([2, 1, true]);
  });

  it('counts as long as the cache has it, once the cache has heard of it', async () => {
    const { underWay } = await unsure();
    expect(underWay.count('one', cached('x', 'a'))).toBe(2);
    expect(underWay.count('one', cached('x'))).toBe(1);
  });

  it('counts no longer once another try is answered', async () => {
    const { underWay } = await unsure();
    await settled(underWay.during('one', 'a', () => Promise.reject(refused)));
    expect(underWay.count('one', cached('x'))).toBe(1);
  });

  it('counts no longer when the cache would have heard of it', async () => {
    const { underWay, clock } = await unsure();
    clock.now += 499;
    expect(underWay.count('one', [])).toBe(1);
    clock.now += 1;
    expect([underWay.count('one', []), underWay.isUnsure('one', [])]).toEqual([0, false]);
  });
});
