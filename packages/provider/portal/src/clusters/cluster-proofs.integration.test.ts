import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clusterNamespaceName, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { Browser } from '../testing/browser.js';
import { Lab, formTokenOf } from '../testing/lab.js';

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
      expect(await brought()).toEqual([]);
      expect((await ask(jane, 'bundles', {})).status).toBe(400);
      // What the provider knows no issuer of is named as before.
      expect((await ask(jane, 'bundles', { identity: uniqueNamespace('free') })).status).toBe(201);
    });

    /** What a person gets on the pages who names a cluster that has to prove itself. */
    const offered = async (browser: Browser, cluster: string): Promise<string> => {
      const page = await browser.request(`${lab.url}/templates/databases`);
      const fields = { form_token: formTokenOf(page.text), name: 'db', cluster, cluster_name: 'Acme' };
      const answer = await lab.send(browser, '/templates/databases', fields);
      expect(answer.status).toBe(200);
      return answer.text;
    };
    const shown = (page: string, label: string): string =>
      new RegExp(`aria-label="${label}"[^>]*>([^<]*)<`, 'u')
        .exec(page)?.[1]
        ?.replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&') ?? '';
    const exchange = (code: string, token?: string) =>
      new Browser().request(`${lab.url}/api/bundle`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', ...(token === undefined ? {} : { 'hawser-cluster-token': token }) },
        body: code,
      });

    it('is offered on the pages by a code that is worth nothing without its token, and does nothing before', async () => {
      const jane = await lab.signIn();
      const page = await offered(jane, own);
      const code = shown(page, 'Code');
      expect(page).toContain('by a token of its own alone');
      expect(page).not.toContain('Download the file');
      const without = await exchange(code);
      expect([without.status, without.headers.get('hawser-cluster-proof')]).toEqual([403, 'required']);
      expect((await exchange(code, await otherToken(lab.url))).status).toBe(403);
      expect((await exchange(code, await tokenOf('other'))).status).toBe(403);
      expect(await brought()).toEqual([]);
      const bundle = await exchange(code, await tokenOf());
      expect([bundle.status, bundle.text.includes('kind: APIServiceBinding')]).toEqual([200, true]);
      expect(await brought()).toEqual([own]);
      expect((await exchange(code, await tokenOf())).status).toBe(404);
      // Its owner binds for it without from now on.
      expect(await offered(jane, own)).toContain('Download the file');
    });

    it('is brought in by the command of the page, whose token is in no arguments', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hawser-proof-'));
      try {
        await writeFile(join(folder, 'token'), await tokenOf());
        const stub = `#!/bin/sh\necho "$@" >> '${folder}/calls'\ncase "$1" in create) cat '${folder}/token' ;; *) cat ;; esac\n`;
        await writeFile(join(folder, 'kubectl'), stub, { mode: 0o755 });
        const page = await offered(await lab.signIn(), own);
        const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
        const running = spawn('sh', ['-c', shown(page, 'Command')], { env });
        running.stdin.end(`${shown(page, 'Code')}\n`);
        expect(await text(running.stdout)).toContain('kind: APIServiceBinding');
        expect(await brought()).toEqual([own]);
        expect(await readFile(join(folder, 'calls'), 'utf8')).toContain(
          `create token konnector -n kube-bind --audience ${lab.url} --duration 10m`,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
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
