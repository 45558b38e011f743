import type { ConnectionConfig } from '@hawser/kubeconfig';
import { describe, expect, it } from '@jest/globals';
import { fingerprintOf } from './fingerprint.js';

const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const with_ = (fields: Partial<ConnectionConfig>): ConnectionConfig => ({
  server: 'https://a',
  credentials: { kind: 'token', token: 'opaque' },
  ...fields,
});
const token = (text: string): Partial<ConnectionConfig> => ({ credentials: { kind: 'token', token: text } });

describe('the fingerprint of a kubeconfig', () => {
  it.each<[string, Partial<ConnectionConfig>, Partial<ConnectionConfig>]>([
    ['another token', token('a'), token('b')],
    [
      'another token of one account',
      token(jwt({ sub: 'system:serviceaccount:x:kube-binder', exp: 1 })),
      token(jwt({ sub: 'system:serviceaccount:x:kube-binder', exp: 2 })),
    ],
    ['broken tokens', token('e30.%%%.x'), token('e30.W10.x')],
  ])('is the same for %s', (_, a, b) => {
    expect(fingerprintOf(with_(a), 'x')).toBe(fingerprintOf(with_(b), 'x'));
  });

  it.each<[string, Partial<ConnectionConfig>]>([
    ['server', { server: 'https://b' }],
    ['certificate authority', { caData: 'ca' }],
    ['server name', { tlsServerName: 'b' }],
    ['proxy', { proxyUrl: 'https://p' }],
    ['verification', { insecureSkipTlsVerify: true }],
    ['account', token(jwt({ sub: 'system:serviceaccount:x:other' }))],
  ])('is another with another %s', (_, change) => {
    expect(fingerprintOf(with_(change), 'x')).not.toBe(fingerprintOf(with_({}), 'x'));
  });

  it('is another in another cluster namespace, and none without a token', () => {
    expect(fingerprintOf(with_({}), 'x')).not.toBe(fingerprintOf(with_({}), 'y'));
    expect(fingerprintOf(with_({ credentials: { kind: 'certificate', cert: 'c', key: 'k' } }), 'x')).toBeUndefined();
  });

  it('does not tell the token', () => {
    expect(fingerprintOf(with_(token('the-secret')), 'x')).toMatch(/^[0-9a-f]{64}$/u);
  });
});
