import { clusterNamespaceName, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { Browser } from '../testing/browser.js';
import { Lab } from '../testing/lab.js';

describeWithControlPlane(
  'a cluster whose tokens the provider knows',
  () => {
    const issuer = 'https://kubernetes.default.svc';
    const serviceAccount = 'kube-bind/konnector';
    let lab: Lab;
    let own: string;
    let foreign: string;
    let otherToken: (audience: string) => Promise<string>;

    beforeAll(async () => {
      lab = await Lab.open();
      const { client } = lab.cluster;
      await lab.create('Namespace', 'namespaces', 'kube-bind');
      for (const name of ['konnector', 'other'])
        await client.create(resources.serviceAccounts, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { namespace: 'kube-bind', name },
        });
    });
    afterAll(() => lab.close());
    beforeEach(async () => {
      await lab.begin();
      own = uniqueNamespace('own');
      foreign = uniqueNamespace('foreign');
      const pair = await generateKeyPair('RS256');
      const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'other', alg: 'RS256' }];
      otherToken = (audience) =>
        new SignJWT({
          'kubernetes.io': { namespace: 'kube-bind', serviceaccount: { name: 'konnector' } },
        })
          .setProtectedHeader({ alg: 'RS256', kid: 'other' })
          .setIssuer(issuer)
          .setAudience(audience)
          .setSubject('system:serviceaccount:kube-bind:konnector')
          .setIssuedAt()
          .setExpirationTime('10m')
          .sign(pair.privateKey);
      // The control plane of the lab stands for the consumer cluster: its tokens are real ones.
      const jwks = (await lab.cluster.client.raw('GET', '/openid/v1/jwks')) as { readonly keys: readonly object[] };
      await lab.start({
        clusterIssuers: [
          { identity: own, issuer, jwks, serviceAccount },
          { identity: foreign, issuer, jwks: { keys }, serviceAccount },
        ],
      });
    });
    afterEach(() => lab.end());

    const tokenOf = async (name = 'konnector', audience = lab.url): Promise<string> => {
      const path = `/api/v1/namespaces/kube-bind/serviceaccounts/${name}/token`;
      const spec = { audiences: [audience], expirationSeconds: 600 };
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
      return ((await lab.cluster.client.raw('POST', path, body)) as { readonly status: { readonly token: string } })
        .status.token;
    };
    const ask = (
      browser: Browser,
      route: 'bind' | 'bundles',
      clusterIdentity: object,
      token?: string,
      { name = 'db', query = '' } = {},
    ) =>
      browser.request(`${lab.url}/api/${route}${query}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { 'hawser-cluster-token': token }),
        },
        body: JSON.stringify({
          metadata: { name },
          spec: { templateRef: { name: 'databases' }, clusterIdentity, acceptedClaims: [] },
        }),
      });
    const brought = async (): Promise<readonly string[]> =>
      (await lab.cluster.client.list(resources.bindableResourcesRequests, { namespace: lab.namespace })).items.map(
        ({ spec }) => (spec as { readonly clusterIdentity: { readonly identity: string } }).clusterIdentity.identity,
      );

    it('is brought in by its token, which says which cluster it is, and goes on by its owner without', async () => {
      const jane = await lab.signIn();
      const made = await ask(jane, 'bundles', { prettyName: 'Acme' }, await tokenOf());
      expect(made.status).toBe(201);
      const { providerNamespace } = JSON.parse(made.text) as { readonly providerNamespace: string };
      expect(providerNamespace).toBe(clusterNamespaceName('kube-bind-', own));
      expect(await brought()).toEqual([own]);
      expect((await ask(jane, 'bind', { identity: own }, undefined, { name: 'more' })).status).toBe(200);
      expect((await ask(jane, 'bind', { identity: own }, await tokenOf(), { name: 'more' })).status).toBe(200);
    });

    it('is brought in by no name alone, by no token of another, and by none that is not for this portal', async () => {
      const jane = await lab.signIn();
      const refused = [
        await ask(jane, 'bundles', { identity: own }),
        await ask(jane, 'bind', { identity: own }),
        await ask(jane, 'bind', { identity: uniqueNamespace('free') }, undefined, { query: `?consumer_id=${own}` }),
        await ask(jane, 'bundles', { identity: own }, await otherToken(lab.url)),
        await ask(jane, 'bind', { identity: own }, await otherToken(lab.url)),
        await ask(jane, 'bind', { identity: foreign }, await otherToken(lab.url), { query: `?consumer_id=${own}` }),
        await ask(jane, 'bundles', { identity: own }, await tokenOf('other')),
        await ask(jane, 'bundles', { identity: own }, await tokenOf('konnector', issuer)),
        await ask(jane, 'bundles', { identity: own }, await tokenOf('konnector', 'https://other.example.com')),
      ];
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
      await expect(lab.bind(jane, { cluster: own })).rejects.toThrow('token of its own');
      expect(await brought()).toEqual([]);
      expect((await ask(jane, 'bundles', {})).status).toBe(400);
      // What the provider knows no issuer of is named as before.
      expect((await ask(jane, 'bundles', { identity: uniqueNamespace('free') })).status).toBe(201);
    });

    it('is opened by its token to nobody but its owner, and to nobody who has not signed in', async () => {
      const jane = await lab.signIn();
      const token = await tokenOf();
      expect((await ask(jane, 'bundles', {}, token)).status).toBe(201);
      lab.idp.person = { subject: 'joe', groups: ['databases'] };
      const joe = await lab.signIn();
      for (const route of ['bind', 'bundles'] as const) {
        const answer = await ask(joe, route, {}, token);
        expect([answer.status, answer.text.includes('kubeconfig'), answer.text.includes('"code":"')]).toEqual([
          403,
          false,
          true,
        ]);
      }
      expect((await ask(new Browser(), 'bundles', {}, token)).status).toBe(401);
    });
  },
  { controllerManager: true },
);
