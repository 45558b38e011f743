import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type JWTPayload, SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import type { ClusterIssuer } from '../options.js';
import { ClusterProofs } from './cluster-proofs.js';

const audience = 'https://portal.example.com';
// Many clusters call their issuer so.
const issuer = 'https://kubernetes.default.svc';
const clock = new FakeClock(Date.UTC(2026, 4, 1, 12));
const seconds = Math.floor(clock.now() / 1_000);
const claims: JWTPayload = {
  iss: issuer,
  aud: [audience],
  sub: 'system:serviceaccount:kube-bind:konnector',
  iat: seconds - 10,
  exp: seconds + 600,
  'kubernetes.io': { namespace: 'kube-bind', serviceaccount: { name: 'konnector', uid: 'u' } },
};
const sign = async ({ privateKey }: Pair, changed: object = {}): Promise<string> =>
  new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
const jwksOf = async ({ publicKey }: Pair) => ({
  keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }],
});

let [first, second]: Pair[] = [];
let known: readonly ClusterIssuer[] = [];

const identityBy = async (
  token: string | string[],
  issuers: readonly ClusterIssuer[] = known,
): Promise<string | undefined> => {
  const proofs = new ClusterProofs({ issuers, audience, clock, log: silentLogger });
  try {
    return await proofs.identityOf({ headers: { 'hawser-cluster-token': token }, id: 'request' });
  } finally {
    await proofs.close();
  }
};

describe('the token of a cluster', () => {
  const pair = (one: Pair | undefined): Pair => {
    if (one === undefined) throw new Error('no keys');
    return one;
  };
  beforeAll(async () => {
    [first, second] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
    const serviceAccount = 'kube-bind/konnector';
    known = [
      { identity: 'first', issuer, jwks: await jwksOf(first), serviceAccount },
      { identity: 'second', issuer, jwks: await jwksOf(second), serviceAccount },
    ];
  });

  it('proves the cluster whose key has signed it, though others call their issuer alike', async () => {
    expect(await identityBy(await sign(pair(first)))).toBe('first');
    expect(await identityBy(await sign(pair(second)))).toBe('second');
  });

  it('is needed of those clusters alone whose issuer is known', async () => {
    const proofs = new ClusterProofs({ issuers: known, audience, clock, log: silentLogger });
    expect(['first', 'third'].map((identity) => proofs.needsProof(identity))).toEqual([true, false]);
    expect(await proofs.identityOf({ headers: {}, id: 'request' })).toBeUndefined();
    await proofs.close();
  });

  it.each<[string, object, string]>([
    ['another audience', { aud: 'https://kubernetes.default.svc' }, `It is not for the audience ${audience}.`],
    ['no audience', { aud: undefined }, `It is not for the audience ${audience}.`],
    ['a time that has passed', { iat: seconds - 700, exp: seconds - 100 }, 'It has expired.'],
    ['no end', { exp: undefined }, 'Its signature, times or claims do not hold.'],
    ['an age of more than a day', { iat: seconds - 90_000, exp: seconds + 9_000_000 }, 'It has expired.'],
    ['a beginning in the future', { nbf: seconds + 600 }, 'Its signature, times or claims do not hold.'],
    ['another issuer', { iss: 'https://oidc.example.com' }, 'Its issuer is not known here.'],
    [
      'another ServiceAccount of the cluster',
      {
        sub: 'system:serviceaccount:team:konnector',
        'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'konnector' } },
      },
      'It is not of ServiceAccount kube-bind/konnector.',
    ],
    [
      'a subject that its claims of Kubernetes contradict',
      { sub: 'system:serviceaccount:team:other' },
      'It is not of ServiceAccount kube-bind/konnector.',
    ],
    ['no claims of Kubernetes', { 'kubernetes.io': undefined }, 'It is not of ServiceAccount kube-bind/konnector.'],
  ])('is refused with %s', async (_, changed, why) => {
    await expect(identityBy(await sign(pair(first), changed))).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining(why),
    });
  });

  it('is refused unsigned, signed by a secret that is public, by an unknown key, or changed', async () => {
    const key = JSON.stringify(await exportJWK(pair(first).publicKey));
    const [head, , signature] = (await sign(pair(first))).split('.');
    const body = Buffer.from(JSON.stringify({ ...claims, extra: true })).toString('base64url');
    const tokens = [
      new UnsecuredJWT(claims).encode(),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(new TextEncoder().encode(key)),
      await sign(await generateKeyPair('RS256')),
      [head, body, signature].join('.'),
      'a.b.c',
      '',
      'x'.repeat(9_000),
    ];
    for (const token of tokens) await expect(identityBy(token)).rejects.toMatchObject({ status: 403 });
    await expect(identityBy([await sign(pair(first)), 'another'])).rejects.toMatchObject({ status: 403 });
  });

  it('proves neither of two clusters that have the same key', async () => {
    const [one] = known;
    if (one === undefined) throw new Error('no issuer');
    await expect(identityBy(await sign(pair(first)), [one, { ...one, identity: 'copy' }])).rejects.toMatchObject({
      message: expect.stringContaining('Two clusters have its key.'),
    });
  });

  describe('whose keys are at an address', () => {
    let server: Server;
    let jwksUrl = '';
    let answer: (url: string) => {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly text: string;
    };
    beforeAll(async () => {
      server = createServer((request, response) => {
        const { status, headers = {}, text } = answer(request.url ?? '');
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openid/v1/jwks`;
    });
    afterAll(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        }),
    );
    const remote = (): readonly ClusterIssuer[] => [
      { identity: 'first', issuer, jwksUrl, serviceAccount: 'kube-bind/konnector' },
    ];

    it('proves it, and no other cluster', async () => {
      const jwks = JSON.stringify(await jwksOf(pair(first)));
      answer = () => ({ status: 200, text: jwks });
      expect(await identityBy(await sign(pair(first)), remote())).toBe('first');
      await expect(identityBy(await sign(pair(second)), remote())).rejects.toMatchObject({ status: 403 });
    });

    it('proves nothing while they cannot be read, and follows no redirect to others', async () => {
      const others = JSON.stringify(await jwksOf(pair(second)));
      answer = (url) =>
        url === '/others' ? { status: 200, text: others } : { status: 302, headers: { location: '/others' }, text: '' };
      await expect(identityBy(await sign(pair(second)), remote())).rejects.toMatchObject({ status: 502 });
      answer = () => ({ status: 500, text: 'secret words' });
      const failed: unknown = await identityBy(await sign(pair(first)), remote()).catch((error: unknown) => error);
      expect(failed).toMatchObject({ status: 502, message: expect.not.stringContaining('secret words') });
    });
  });
});
