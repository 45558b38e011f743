import { describe, expect, it } from '@jest/globals';

import { configProblems } from './config-problems.js';
import { configSchema } from './config.js';

const portal = { address: '127.0.0.1:8443', publicUrl: 'http://127.0.0.1:8443' };
const problemsOf = (given: object): readonly string[] =>
  configProblems(JSON.stringify({ roles: ['provider'], provider: { portal: given } })).map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe('the identity provider of the portal', () => {
  it('is named, unless it is embedded', () => {
    expect(problemsOf({ ...portal, issuer: {} })).toEqual([
      'provider.portal.issuer.url: is required, unless issuer.type is embedded',
      'provider.portal.issuer.clientId: is required, unless issuer.type is embedded',
    ]);
    expect(problemsOf({ ...portal, issuer: { url: 'https://login.example.com', clientId: 'hawser' } })).toEqual([]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('is embedded on %s', (host) => {
    const issuer = { type: 'embedded', url: `http://${host}:5557`, callbackUrl: `http://${host}:1/api/callback` };
    expect(problemsOf({ address: `${host}:0`, publicUrl: `https://${host}:8443`, issuer })).toEqual([]);
    expect(configSchema.safeParse({ provider: { portal: { ...portal, issuer: { type: 'embedded' } } } }).success).toBe(
      true,
    );
  });

  it.each<[string, object, string]>([
    ['listens on every interface', { address: ':8443' }, 'address: must be on the loopback interface'],
    ['listens on all IPv4 addresses', { address: '0.0.0.0:8443' }, 'address: must be on the loopback interface'],
    ['listens on all IPv6 addresses', { address: '[::]:8443' }, 'address: must be on the loopback interface'],
    ['listens where another name leads', { address: '127.0.0.1.nip.io:1' }, 'address: must be on the loopback'],
    ['listens by the default address', { address: undefined }, 'address: must be on the loopback interface'],
    ['has a public name', { publicUrl: 'https://portal.example.com' }, 'publicUrl: must be on the loopback interface'],
    ['trusts a proxy', { trustedProxies: ['10.0.0.0/8'] }, 'trustedProxies: must be empty'],
    ['trusts a proxy on this machine', { trustedProxies: ['127.0.0.1'] }, 'trustedProxies: must be empty'],
    [
      'is called back elsewhere',
      { issuer: { callbackUrl: 'https://a.example.com/api/callback' } },
      'callbackUrl: must',
    ],
    ['is at a public name itself', { issuer: { url: 'https://login.example.com' } }, 'issuer.url: must be on the'],
    ['has a name that only looks right', { issuer: { url: 'http://127.0.0.1:1@a.example.com' } }, 'issuer.url: must'],
    ['has the client of another', { issuer: { clientId: 'hawser' } }, 'issuer.clientId: must be empty'],
    ['has the secret of another', { issuer: { clientSecret: 'x' } }, 'issuer.clientSecret: must be empty'],
  ])('is not embedded where the portal %s, and the message says what to do', (_, change, message) => {
    const { issuer = {}, ...rest } = change as { readonly issuer?: object };
    const [problem = '', ...more] = problemsOf({ ...portal, ...rest, issuer: { type: 'embedded', ...issuer } });
    expect([problem, more]).toEqual([expect.stringContaining(message), []]);
    expect(problem).toContain('set issuer.type to external');
  });
});
