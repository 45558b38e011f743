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
    expect(new MadeNamespaces().take('new', 2, cached, 'p', asked('old', 'users'))).toBe(false);
    expect(new MadeNamespaces().take('new', 3, cached, 'p', asked('old', 'users'))).toBe(true);
  });

  it('count from the moment that they are about to be made, and no longer if they were not', () => {
    const made = new MadeNamespaces();
    const take = (name: string): boolean => made.take(name, 2, [], 'p', asked());
    expect([take('a'), take('b'), take('c'), take('a')]).toEqual([true, true, false, true]);
    made.settled('a');
    expect(take('c')).toBe(true);
  });
});
