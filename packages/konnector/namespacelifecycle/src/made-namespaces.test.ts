import type { KubeObject } from '@hawser/client';
import type { APIServiceNamespace } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';

import { MadeNamespaces } from './made-namespaces.js';

const namespace = (name: string, owner?: string, provider?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    ...(owner === undefined ? {} : { labels: { 'kube-bind.io/owner': owner } }),
    ...(provider === undefined ? {} : { annotations: { 'hawser.dev/provider-identity': provider } }),
  },
});
const asked =
  (...names: readonly string[]) =>
  (name: string): APIServiceNamespace | undefined =>
    names.includes(name)
      ? ({ metadata: { name, labels: { 'kube-bind.io/owner': 'provider' } } } as unknown as APIServiceNamespace)
      : undefined;

describe('the namespaces made for a provider', () => {
  it('count, asked for or not, with those that another konnector made and it asks for', () => {
    const cached = [
      namespace('mine', 'provider', 'p'),
      namespace('old', 'provider'),
      namespace('forgotten', 'provider'),
      namespace('theirs', 'provider', 'q'),
      namespace('users'),
      namespace('consumers', 'consumer'),
    ];
    expect(new MadeNamespaces().besides('new', cached, 'p', asked('old', 'users'))).toBe(2);
    expect(new MadeNamespaces().besides('mine', cached, 'p', asked('old', 'users'))).toBe(1);
  });

  it('count while they are made, and no longer if they were not', async () => {
    const made = new MadeNamespaces();
    const count = (): number => made.besides('new', [], 'p', asked());
    const failed = Promise.withResolvers<undefined>();
    const making = made.making('a', () => failed.promise);
    expect([count(), made.besides('a', [], 'p', asked())]).toEqual([1, 0]);
    failed.reject(new Error('refused'));
    await expect(making).rejects.toThrow('refused');
    expect(count()).toBe(0);
  });
});
