import type { JsonObject } from '@hawser/json';
import type { Api } from '../api.js';
import { cases, table } from '../case.js';
import { readers } from './granted.js';
import { serviceAccount, role, roleBinding } from './objects.js';

/** A ServiceAccount of the case and a token for it. */
export async function tokenOf(
  api: Api,
  spec: JsonObject = {},
): Promise<{ readonly account: string; readonly token: string }> {
  await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
  const answer = await api.quietly.create(api.path('serviceaccounts', 'robot', 'token'), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
  return { account: `system:serviceaccount:${api.namespace}:robot`, token: answer.text('status', 'token') };
}

export const tokenCases = cases('tokens', {
  async 'a token is who it says'(api) {
    const { token } = await tokenOf(api);
    await api.create(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      {
        as: { token },
        select: (body) => JSON.parse(JSON.stringify(body).replaceAll(/JTI=[^"]+/gu, 'JTI=id')) as never,
      },
    );
    await api.get(api.path('configmaps'), { as: { token } });
  },
  async 'what a TokenRequest answers'(api) {
    await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
    await api.create(api.path('serviceaccounts', 'robot', 'token'), {
      spec: { audiences: ['a', 'b'], expirationSeconds: 3600 },
    });
    await api.create(api.path('serviceaccounts', 'robot', 'token'), {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
    });
  },
  async 'the claims of a token'(api) {
    const { token } = await tokenOf(api, { expirationSeconds: 1200 });
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      exp: number;
      iat: number;
      nbf: number;
      sub: string;
      iss: string;
      aud: string[];
      'kubernetes.io': { namespace: string; serviceaccount: { name: string } };
    };
    api.note('claims', {
      life: claims.exp - claims.iat,
      sub: claims.sub,
      iss: claims.iss,
      aud: claims.aud,
      keys: Object.keys(claims).sort(),
      namespace: claims['kubernetes.io'].namespace,
      account: claims['kubernetes.io'].serviceaccount.name,
    });
  },
  ...table<JsonObject>(
    {
      'too short a life': { expirationSeconds: 60 },
      'too long a life': { expirationSeconds: 2 ** 33 },
      'a bound Secret that is missing': { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'nothing' } },
      'a bound object of another kind': { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
    },
    async (api, spec) => {
      await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
      await api.create(api.path('serviceaccounts', 'robot', 'token'), { spec });
    },
    'refused: ',
  ),
  async 'of a ServiceAccount that is missing'(api) {
    await api.create(api.path('serviceaccounts', 'nobody', 'token'), { spec: {} });
  },
  async 'a token ends with its ServiceAccount'(api) {
    const { token } = await tokenOf(api);
    await api.quietly.delete(api.path('serviceaccounts', 'robot'));
    await api.eventually(
      (calls) => calls.get(api.path('configmaps'), { as: { token } }),
      ({ status }) => status === 401,
    );
    await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
    await api.get(api.path('configmaps'), { as: { token } });
  },
  async 'a token that is bound to a Secret'(api) {
    await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
    const bound = await api.quietly.create(api.path('secrets'), { metadata: { name: 'anchor' } });
    const { body } = await api.create(api.path('serviceaccounts', 'robot', 'token'), {
      spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor', uid: bound.uid } },
    });
    const token = (body as unknown as { status: { token: string } }).status.token;
    await api.get(api.path('configmaps'), { as: { token } });
    await api.quietly.delete(api.path('secrets', 'anchor'));
    await api.eventually(
      (calls) => calls.get(api.path('configmaps'), { as: { token } }),
      ({ status }) => status === 401,
    );
    await api.get(api.path('configmaps'), { as: { token } });
  },
  async 'for another audience'(api) {
    const { token } = await tokenOf(api, { audiences: ['elsewhere'] });
    await api.get(api.path('configmaps'), { as: { token } });
  },
  async 'a review of a token'(api) {
    const { token } = await tokenOf(api);
    await api.create(
      '/apis/authentication.k8s.io/v1/tokenreviews',
      { spec: { token } },
      { select: (body) => JSON.parse(JSON.stringify(body).replaceAll(/JTI=[^"]+/gu, 'JTI=id')) as never },
    );
    await api.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense' } });
    await api.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} });
    await api.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences: ['elsewhere'] } });
  },
  async 'the rights of a ServiceAccount and its groups'(api) {
    const { token } = await tokenOf(api);
    await api.quietly.create(api.path('roles'), role('reader', readers));
    await api.quietly.create(
      api.path('rolebindings'),
      roleBinding('reader', { kind: 'Role', name: 'reader' }, [
        { kind: 'ServiceAccount', name: 'robot', namespace: api.namespace },
      ]),
    );
    await api.eventually(
      (calls) => calls.get(api.path('configmaps'), { as: { token } }),
      ({ status }) => status === 200,
    );
    await api.get(api.path('configmaps'), { as: { token } });
    await api.get(api.path('secrets'), { as: { token } });
  },
  async 'requesting one has to be allowed'(api) {
    await api.quietly.create(api.path('serviceaccounts'), serviceAccount('robot'));
    await api.create(api.path('serviceaccounts', 'robot', 'token'), { spec: {} }, { as: { user: 'jane' } });
    await api.get(api.path('serviceaccounts', 'robot', 'token'));
  },
});
