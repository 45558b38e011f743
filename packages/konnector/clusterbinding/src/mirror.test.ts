import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import type { Secret } from '@hawser/kube-bind';
import { mirror } from './mirror.js';
import type { ConsumerSecret } from './observed.js';

const secret = (data: Record<string, string>, type = 'Opaque'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'kube-bind', name: 'kc', uid: 'u', resourceVersion: '7' },
  type,
  data,
});
const target = (reading: ConsumerSecret['reading'], keys = ['kubeconfig']): ConsumerSecret => ({
  namespace: 'kube-bind',
  name: 'kc',
  keys,
  reading,
});
const source = secret({ kubeconfig: 'bmV3', extra: 'eA==' });

describe('mirror', () => {
  roughEdge(
    '§17.3 Secret',
    'the kubeconfig Secret is not written when nothing differs',
    () => {
      expect(
        mirror(target({ kind: 'found', secret: secret({ extra: 'eA==', kubeconfig: 'bmV3' }) }), source, 'bmV3').kind,
      ).toBe('none');
    },
    'secret-written-each-time',
  );

  it('does not judge by type, which cannot be changed', () => {
    expect(
      mirror(
        target({ kind: 'found', secret: secret({ extra: 'eA==', kubeconfig: 'bmV3' }, 'example.com/kubeconfig') }),
        source,
        'bmV3',
      ).kind,
    ).toBe('none');
  });

  it('changes, adds and removes keys, and nothing else', () => {
    expect(
      mirror(target({ kind: 'found', secret: secret({ kubeconfig: 'b2xk', stale: 'cw==' }) }), source, 'bmV3'),
    ).toEqual({
      kind: 'update',
      namespace: 'kube-bind',
      name: 'kc',
      uid: 'u',
      resourceVersion: '7',
      data: { kubeconfig: 'bmV3', extra: 'eA==', stale: null },
    });
  });

  it('does not write over a kubeconfig that leads to another provider, nor takes one away', () => {
    const there = secret({ kubeconfig: 'b2xk', other: 'dHdv', stale: 'cw==' });
    expect(
      mirror(target({ kind: 'found', secret: there, otherProviderKeys: ['kubeconfig'] }), source, 'bmV3').kind,
    ).toBe('none');
    expect(
      mirror(target({ kind: 'found', secret: there, otherProviderKeys: ['other'] }), source, 'bmV3'),
    ).toMatchObject({
      kind: 'update',
      data: { kubeconfig: 'bmV3', extra: 'eA==', stale: null },
    });
    expect(
      mirror(target({ kind: 'found', secret: there, otherProviderKeys: ['other'] }), source, 'bmV3'),
    ).not.toHaveProperty('data.other');
  });

  it('keeps the kubeconfig under the key that bindings name', () => {
    const before = secret({ config: 'b2xk' });
    expect(mirror(target({ kind: 'found', secret: before }, ['config']), source, 'bmV3')).toMatchObject({
      kind: 'update',
      data: { config: 'bmV3', kubeconfig: 'bmV3', extra: 'eA==' },
    });
  });

  it('recreates a missing Secret in its own place', () => {
    expect(mirror(target({ kind: 'missing' }, ['config']), source, 'bmV3')).toEqual({
      kind: 'create',
      namespace: 'kube-bind',
      name: 'kc',
      secret: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'kube-bind', name: 'kc' },
        type: 'Opaque',
        data: { kubeconfig: 'bmV3', extra: 'eA==', config: 'bmV3' },
      },
    });
  });

  it('keeps the type of the provider when it creates, but makes no token Secret', () => {
    const typed = (type: string): unknown =>
      mirror(target({ kind: 'missing' }), secret({ kubeconfig: 'bmV3' }, type), 'bmV3');
    expect(typed('example.com/kubeconfig')).toMatchObject({ secret: { type: 'example.com/kubeconfig' } });
    expect(typed('kubernetes.io/service-account-token')).toMatchObject({ secret: { type: 'Opaque' } });
  });

  it('leaves alone what it cannot see', () => {
    expect(mirror(target({ kind: 'unknown' }), source, 'bmV3').kind).toBe('none');
  });
});
