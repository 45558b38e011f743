import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@hawser/clock';
import { createCertificateAuthority } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import Provider from 'oidc-provider';
import { type RequestHeaders, loadKubeconfig } from './index.js';

const clientIds = { client_secret_basic: 'kubectl', client_secret_post: 'kubectl-post' } as const;
let authentication: keyof typeof clientIds = 'client_secret_basic';
const clientSecret = 'a-secret-of-the-client-0123456789';

let folder: string;
let issuer: string;
let server: Server;
let authority: string;
let otherAuthority: string;
let provider: Provider;
/** How often tokens were asked for. */
let asked = 0;
/** How often the issuer was looked at. */
let looked = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-oidc-'));
  const ca = await createCertificateAuthority(folder, 'issuer');
  const { cert, key } = await ca.issueServer('localhost', ['localhost'], ['127.0.0.1']);
  authority = ca.cert;
  const otherFolder = await mkdtemp(join(folder, 'other-'));
  otherAuthority = (await createCertificateAuthority(otherFolder, 'other')).cert;
  server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  provider = new Provider(issuer, {
    clients: Object.entries(clientIds).map(([method, id]) => ({
      client_id: id,
      client_secret: clientSecret,
      redirect_uris: ['https://localhost/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: method as keyof typeof clientIds,
    })),
    scopes: ['openid', 'offline_access'],
    cookies: { keys: ['a-key-of-this-test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/token') asked++;
    if (request.url?.startsWith('/.well-known/') === true) looked++;
    void answer(request, response);
  });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

/** Of somebody who has signed in before. */
async function refreshToken(): Promise<string> {
  const clientId = clientIds[authentication];
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error('there is no client');
  const grant = new provider.Grant({ clientId, accountId: 'jane' });
  grant.addOIDCScope('openid offline_access');
  const grantId = await grant.save();
  return new provider.RefreshToken({
    client,
    accountId: 'jane',
    grantId,
    scope: 'openid offline_access',
    gty: 'authorization_code',
  }).save();
}

const payloadOf = ({ authorization }: RequestHeaders): unknown =>
  JSON.parse(Buffer.from(String(authorization).split('.')[1] ?? '', 'base64url').toString());

/** The credentials of a person with such a login. */
async function login(config: Readonly<Record<string, string>>): Promise<(renew?: boolean) => Promise<RequestHeaders>> {
  const file = join(folder, 'config');
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://server:6443' } }],
      users: [{ name: 'u', user: { 'auth-provider': { name: 'oidc', config } } }],
    }),
  );
  const { credentials } = await loadKubeconfig({ file, env: {}, clock: systemClock });
  if (credentials.kind !== 'dynamic') throw new Error(`credentials are ${credentials.kind}`);
  return (renew) => credentials.headers(renew);
}

const expired = ['{"alg":"none"}', JSON.stringify({ exp: 1_000 }), 'x']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const expiredLogin = (): Readonly<Record<string, string>> => ({
  'client-id': clientIds[authentication],
  'client-secret': clientSecret,
  'id-token': expired,
  'idp-issuer-url': issuer,
  'idp-certificate-authority-data': Buffer.from(authority).toString('base64'),
});

it.each(['client_secret_basic', 'client_secret_post'] as const)(
  'renews a login that has expired at its issuer, whose authority the kubeconfig names, once for many requests: %s',
  async (method) => {
    authentication = method;
    asked = 0;
    const headers = await login({ ...expiredLogin(), 'refresh-token': await refreshToken() });
    const all = await Promise.all(Array.from({ length: 5 }, () => headers()));
    expect(payloadOf(all[0] ?? {})).toMatchObject({ iss: issuer, sub: 'jane', aud: clientIds[method] });
    expect(new Set(all.map(({ authorization }) => authorization)).size).toBe(1);
    // One answer for all; an issuer that wants the secret in the body has refused the header before.
    expect(asked).toBeLessThanOrEqual(method === 'client_secret_basic' ? 1 : 2);
    const before = asked;
    expect(await headers()).toEqual(all[0]);
    expect(asked).toBe(before);
    // The API server has refused it.
    await headers(true);
    expect(asked).toBeGreaterThan(before);
  },
);

it.each<[string, () => Readonly<Record<string, string>>, string]>([
  ['has no refresh token', () => expiredLogin(), 'its id-token has expired, and there is no refresh-token'],
  ['has a refresh token that does not count', () => ({ ...expiredLogin(), 'refresh-token': 'x' }), 'invalid_grant'],
  [
    'has an issuer whose authority is not known',
    () => {
      const other = Buffer.from(otherAuthority).toString('base64');
      return { ...expiredLogin(), 'idp-certificate-authority-data': other, 'refresh-token': 'x' };
    },
    'SIGNATURE',
  ],
])('says what is wrong with one that %s, and to sign in again, without any of it', async (_, config, words) => {
  const failure = await login(config()).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'KubeconfigError', code: 'NoCredentials' });
  expect(String(failure)).toContain(words);
  expect(String(failure)).toContain('Sign in again');
  expect(String(failure)).not.toContain(clientSecret);
});

it('shows the issuer a refresh token that it has refused not once more, which many take for a stolen one, and looks at it once', async () => {
  authentication = 'client_secret_basic';
  asked = 0;
  looked = 0;
  await expect(login({ ...expiredLogin(), 'refresh-token': 'used-before' })).rejects.toThrow('invalid_grant');
  expect({ asked, looked }).toEqual({ asked: 1, looked: 1 });
});
