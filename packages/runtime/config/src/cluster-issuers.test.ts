import { describe, expect, it } from '@jest/globals';

import { configProblems } from './config-problems.js';

const portal = {
  publicUrl: 'https://portal.example.com',
  issuer: { url: 'https://login.example.com', clientId: 'hawser' },
};
const problemsOf = (...clusterIssuers: readonly object[]): readonly string[] =>
  configProblems(JSON.stringify({ roles: ['provider'], provider: { portal: { ...portal, clusterIssuers } } })).map(
    ({ path, message }) => `${path}: ${message}`,
  );
const key = { kty: 'RSA', n: 'AQ', e: 'AQAB' };
const good = { identity: 'uid', issuer: 'https://kubernetes.default.svc', jwks: { keys: [key] } };

describe('the issuer of the tokens of a cluster', () => {
  it('is known by keys, or by where they are', () => {
    const byUrl = {
      ...good,
      identity: 'other',
      jwks: undefined,
      jwksUrl: 'https://cluster.example.com/openid/v1/jwks',
    };
    expect(problemsOf(good, byUrl)).toEqual([]);
  });

  it.each<[string, readonly object[], string]>([
    ['both', [{ ...good, jwksUrl: 'https://cluster.example.com' }], 'needs one of jwks and jwksUrl'],
    ['neither', [{ ...good, jwks: undefined }], 'needs one of jwks and jwksUrl'],
    ['keys without TLS', [{ ...good, jwks: undefined, jwksUrl: 'http://cluster.example.com' }], 'must be an https URL'],
    ['a key that two share', [{ ...good, jwks: { keys: [{ kty: 'oct', k: 'AQ' }] } }], 'must be RSA, EC or OKP'],
    ['a private key', [{ ...good, jwks: { keys: [{ ...key, d: 'AQ' }] } }], 'this one is private'],
    ['one cluster twice', [good, { ...good, issuer: 'https://b' }], 'must name each identity once'],
    ['an account without a namespace', [{ ...good, serviceAccount: 'konnector' }], 'must be NAMESPACE/NAME'],
  ])('is not taken with %s', (_, issuers, message) => {
    expect(problemsOf(...issuers).join('\n')).toContain(message);
  });
});
