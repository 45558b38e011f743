import { beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject, parse } from '@hawser/json';
import { metaOf } from '../object/meta.js';
import { objectField, stringField } from '../object/json.js';
import type { ApiRequest, RequestInfo, UserInfo } from '../parts.js';
import { StatusError } from '../status.js';
import { MemoryHost } from '../testing/memory-host.js';
import { Authenticator } from './authenticator.js';
import { ServiceAccountTokens, secrets, serviceAccounts } from './service-account-tokens.js';
import { SigningKey, randomSeed } from './signing-key.js';
import { tokenRequests } from './token-request.js';
import { tokenReviews } from './token-review.js';
import { tokenSecrets } from './token-secrets.js';

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

let host: MemoryHost;
let tokens: ServiceAccountTokens;
let authenticator: Authenticator;
let account: JsonObject;

beforeEach(() => {
  host = new MemoryHost();
  tokens = new ServiceAccountTokens(host, new SigningKey(randomSeed(host.random)));
  authenticator = new Authenticator({ tokens: { secret: { name: 'root', groups: ['system:masters'] } } }, tokens);
  account = host.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'n' },
  });
});

const request = (headers: ApiRequest['headers'], more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path: '/',
  headers,
  ...more,
});
const bearer = (token: string): ApiRequest => request({ authorization: `Bearer ${token}` });
const accountKey = { namespace: 'n', name: 'robot' };

function info(name: string): RequestInfo {
  return {
    isResourceRequest: true,
    path: '',
    verb: 'create',
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'n',
    resource: 'serviceaccounts',
    subresource: 'token',
    name,
    query: new URLSearchParams(),
  };
}

function ask(spec: JsonObject, more: JsonObject = {}, name = 'robot'): JsonObject {
  return tokenRequests(host, tokens).create({
    user: admin,
    info: info(name),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec, ...more },
    dryRun: false,
  });
}

function claimsOf(token: string): JsonObject {
  return parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}

function asked(spec: JsonObject = {}): string {
  return stringField(objectField(ask(spec), 'status'), 'token');
}

function refusal(action: () => unknown): JsonObject {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.toStatus();
    throw error;
  }
  throw new Error('it was allowed');
}

const isAccepted = (token: string): boolean => authenticator.authenticate(bearer(token)).kind === 'user';

describe('authentication', () => {
  it('knows client certificates by CN and O', () => {
    const answer = authenticator.authenticate(
      request({}, { certificate: { commonName: 'alice', organizations: ['dev', 'ops'] } }),
    );
    expect(answer).toEqual({ kind: 'user', user: { name: 'alice', groups: ['dev', 'ops', 'system:authenticated'] } });
  });

  it('knows the tokens it was given', () => {
    expect(authenticator.authenticate(bearer('secret'))).toEqual({
      kind: 'user',
      user: { name: 'root', groups: ['system:masters', 'system:authenticated'] },
    });
  });

  it('takes the user of a direct request as it is', () => {
    expect(authenticator.authenticate(request({ authorization: 'Bearer wrong' }, { user: admin }))).toEqual({
      kind: 'user',
      user: admin,
    });
  });

  it.each([['Bearer wrong'], ['bearer a.b.c'], [`Bearer ${Buffer.from('{}').toString('base64url')}.e30.x`]])(
    'rejects %s',
    (authorization) => {
      expect(authenticator.authenticate(request({ authorization }))).toEqual({ kind: 'rejected' });
    },
  );

  it.each([[{}], [{ authorization: 'Basic abc' }], [{ authorization: 'Bearer' }], [{ authorization: 'Bearer ' }]])(
    'takes %j for nobody',
    (headers) => {
      expect(authenticator.authenticate(request(headers))).toEqual({ kind: 'anonymous' });
    },
  );
});

describe('tokens from TokenRequest', () => {
  it('say who the ServiceAccount is', () => {
    const token = asked();
    expect(authenticator.authenticate(bearer(token))).toEqual({
      kind: 'user',
      user: {
        name: 'system:serviceaccount:n:robot',
        uid: metaOf(account).uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${stringField(claimsOf(token), 'jti')}`] },
      },
    });
    const now = host.clock.now() / 1000;
    expect(claimsOf(token)).toMatchObject({
      iss: 'https://kubernetes.default.svc',
      sub: 'system:serviceaccount:n:robot',
      iat: now,
      nbf: now,
      exp: now + 3600,
      'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'robot', uid: metaOf(account).uid } },
    });
  });

  it('come with their expiration, and end by the clock', async () => {
    const answer = ask({ expirationSeconds: 600 });
    expect(answer).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'n' },
      spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 600 },
      status: { expirationTimestamp: '2026-01-01T00:10:00Z' },
    });
    const token = stringField(objectField(answer, 'status'), 'token');
    await host.clock.advance(600_000 + 59_000);
    expect(isAccepted(token)).toBe(true);
    await host.clock.advance(2000);
    expect(isAccepted(token)).toBe(false);
  });

  it('are not given for less than ten minutes', () => {
    expect(refusal(() => ask({ expirationSeconds: 599 }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      details: {
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        causes: [{ reason: 'FieldValueInvalid', field: 'spec.expirationSeconds' }],
      },
    });
  });

  it('are not given to a ServiceAccount that is not there', () => {
    expect(refusal(() => ask({}, {}, 'nobody'))).toMatchObject({
      code: 404,
      message: 'serviceaccounts "nobody" not found',
    });
  });

  it('are worth nothing when the ServiceAccount has gone, nor when another one has its name', () => {
    const token = asked();
    host.delete(serviceAccounts, accountKey);
    expect(isAccepted(token)).toBe(false);
    host.create(serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot', namespace: 'n' },
    });
    expect(isAccepted(token)).toBe(false);
  });

  it('that are bound to a Secret are worth nothing without it', () => {
    const bound = host.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bound', namespace: 'n' },
    });
    const token = asked({
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'bound', uid: metaOf(bound).uid ?? '' },
    });
    expect(isAccepted(token)).toBe(true);
    host.delete(secrets, { namespace: 'n', name: 'bound' });
    expect(isAccepted(token)).toBe(false);
  });

  it('for others are none for this server', () => {
    const token = asked({ audiences: ['vault'] });
    expect(isAccepted(token)).toBe(false);
    const review = (audiences: JsonObject): JsonObject =>
      tokenReviews(authenticator).create({
        user: admin,
        info: info(''),
        body: { spec: { token, ...audiences } },
        dryRun: false,
      });
    expect(review({ audiences: ['vault', 'x'] })).toMatchObject({
      status: { authenticated: true, audiences: ['vault'], user: { username: 'system:serviceaccount:n:robot' } },
    });
    expect(objectField(review({}), 'status')).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
    });
  });

  it('that were changed, or signed by another server, are rejected', () => {
    const token = asked();
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(token), sub: 'system:serviceaccount:n:other' })).toString(
      'base64url',
    );
    const other = new ServiceAccountTokens(host, new SigningKey(new Uint8Array(32)));
    expect(isAccepted(`${header}.${forged}.${signature}`)).toBe(false);
    expect(isAccepted(`${header}.${claims}.`)).toBe(false);
    expect(
      isAccepted(
        other.issue({
          serviceAccount: account,
          audiences: ['https://kubernetes.default.svc'],
          expirationSeconds: 3600,
        }),
      ),
    ).toBe(false);
    expect(isAccepted(token)).toBe(true);
  });

  it('are still good after a restart with the same key', () => {
    const token = asked();
    const restarted = new Authenticator({}, new ServiceAccountTokens(host, new SigningKey(randomSeed(host.random))));
    expect(restarted.authenticate(bearer(token)).kind).toBe('user');
  });
});

describe('token Secrets', () => {
  const key = { namespace: 'n', name: 'token' };
  const secret = (): JsonObject => host.get(secrets, key) ?? {};
  const create = (account: string): JsonObject =>
    host.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { ...key, annotations: { 'kubernetes.io/service-account.name': account } },
    });
  const dataOf = (name: string): string =>
    Buffer.from(stringField(objectField(secret(), 'data'), name), 'base64').toString();

  beforeEach(() => {
    host.authority = 'PEM';
    tokenSecrets(host, tokens).start();
  });

  it('are filled, and their token has no end', async () => {
    create('robot');
    await host.settle();
    expect([dataOf('ca.crt'), dataOf('namespace')]).toEqual(['PEM', 'n']);
    expect(metaOf(secret()).annotations).toEqual({
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': metaOf(account).uid,
    });
    await host.clock.advance(1000 * 24 * 3_600_000);
    const answer = authenticator.authenticate(bearer(dataOf('token')));
    expect(answer).toEqual({
      kind: 'user',
      user: {
        name: 'system:serviceaccount:n:robot',
        uid: metaOf(account).uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
      },
    });
  });

  it('have a new token when theirs is taken out, and the old one is worth nothing', async () => {
    create('robot');
    await host.settle();
    const token = dataOf('token');
    host.update(secrets, { ...secret(), data: {} });
    expect(isAccepted(token)).toBe(false);
    await host.settle();
    expect(isAccepted(dataOf('token'))).toBe(true);
  });

  it('go with their ServiceAccount', async () => {
    create('robot');
    await host.settle();
    const token = dataOf('token');
    host.delete(serviceAccounts, accountKey);
    await host.settle();
    expect(host.get(secrets, key)).toBeUndefined();
    expect(isAccepted(token)).toBe(false);
  });

  it('for nobody are deleted', async () => {
    create('nobody');
    await host.settle();
    expect(host.get(secrets, key)).toBeUndefined();
  });

  it('remember the day on which they were used, with one write a day', async () => {
    create('robot');
    await host.settle();
    const token = dataOf('token');
    isAccepted(token);
    await host.settle();
    expect(metaOf(secret()).labels).toEqual({ 'kubernetes.io/legacy-token-last-used': '2026-01-01' });
    const version = metaOf(secret()).resourceVersion;
    isAccepted(token);
    await host.settle();
    expect(metaOf(secret()).resourceVersion).toBe(version);
  });
});
