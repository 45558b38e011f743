import type { KubeObject } from '@hawser/client';
import { expect, it } from '@jest/globals';
import { UnderWay } from './under-way.js';

const cached = (...names: readonly string[]): readonly KubeObject[] => names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));

it('counts what is in the cache and what is being made, each once and for its owner', async () => {
  const underWay = new UnderWay();
  const made = Promise.withResolvers<string>();
  const first = underWay.during('one', 'a', () => made.promise);
  const second = underWay.during('one', 'b', () => Promise.reject(new Error('refused'))).catch(() => 'failed');
  expect([underWay.count('one', cached('x')), underWay.count('one', cached('x', 'a')), underWay.count('other', cached('x'))]).toEqual([3, 3, 1]);
  expect(await second).toBe('failed');
  expect(underWay.count('one', cached('x'))).toBe(2);
  made.resolve('done');
  expect(await first).toBe('done');
  expect(underWay.count('one', cached('x'))).toBe(1);
});
