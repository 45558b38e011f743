import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { clusterNamespaceName, consumerCRDs, installCRDs, resources } from '@hawser/kube-bind';
import {
  type ControlPlane,
  createCertificateAuthority,
  describeWithControlPlane,
  eventually,
  kubeconfigText,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { Answer, Browser } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, formTokenOf } from '../testing/lab.js';

describeWithControlPlane(
  'a portal that applies bundles',
  () => {
    let lab: Lab;
    let consumer: ControlPlane;
    let identity: string;
    let kubeconfig: string;
    let port: number;

    beforeAll(async () => {
      lab = await Lab.open();
      await lab.begin();
      consumer = await startControlPlane({ name: 'one-click' });
      const client = createClient({ name: 'consumer', connection: consumer.connection });
      try {
        await installCRDs(client, consumerCRDs, { clock: systemClock });
        identity = await eventually(
          async () => (await client.get(resources.namespaces, { name: 'kube-system' })).metadata.uid ?? false,
        );
      } finally {
        await client.close();
      }
      kubeconfig = kubeconfigText('consumer', consumer.connection);
      port = Number(new URL(consumer.connection.server).port);
    }, 120_000);
    afterAll(async () => {
      await consumer.stop();
      await lab.close();
    });
    // One namespace for all: the cluster belongs to who brought it in there.
    beforeEach(() => {
      lab.idp.person = { subject: 'jane', groups: ['databases'] };
    });
    afterEach(() => lab.end());

    const start = (ports: readonly number[] = [port]) =>
      lab.start({ oneClickApply: { hosts: [], networks: ['127.0.0.0/8'], ports } });
    const codeFor = async (browser: Browser, cluster = identity): Promise<string> => {
      const made = await browser.request(`${lab.url}/api/bundles`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          metadata: { name: 'db' },
          spec: { templateRef: { name: 'databases' }, clusterIdentity: { identity: cluster }, acceptedClaims: [] },
        }),
      });
      return (JSON.parse(made.text) as { readonly code: string }).code;
    };
    const apply = (browser: Browser, code: string | undefined, text = kubeconfig, more: object = {}): Promise<Answer> =>
      browser.request(`${lab.url}/api/apply-binding`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          consumerKubeconfig: Buffer.from(text).toString('base64'),
          bindingName: 'db',
          code,
          ...more,
        }),
      });
    const bound = async (): Promise<number> => {
      const client = createClient({ name: 'consumer', connection: consumer.connection });
      try {
        return (await client.list(resources.apiServiceBindings)).items.length;
      } finally {
        await client.close();
      }
    };
    /** The same kubeconfig, otherwise. */
    const changed = (change: (cluster: Record<string, unknown>, user: Record<string, unknown>) => void): string => {
      const document = parse(kubeconfig) as {
        clusters: [{ cluster: Record<string, unknown> }];
        users: [{ user: Record<string, unknown> }];
      };
      change(document.clusters[0].cluster, document.users[0].user);
      return stringify(document);
    };

    // First: the cluster belongs to nobody yet.
    it('brings in a cluster that has to prove itself, by a token of it, and no other cluster', async () => {
      const client = createClient({ name: 'consumer', connection: consumer.connection });
      try {
        const { issuer } = (await client.raw('GET', '/.well-known/openid-configuration')) as {
          readonly issuer: string;
        };
        const jwks = (await client.raw('GET', '/openid/v1/jwks')) as { readonly keys: readonly object[] };
        const foreign = (await lab.cluster.client.raw('GET', '/openid/v1/jwks')) as typeof jwks;
        const begin = async (keys: typeof jwks): Promise<Browser> => {
          await lab.start({
            oneClickApply: { hosts: [], networks: ['127.0.0.0/8'], ports: [port] },
            clusterIssuers: [{ identity, issuer, jwks: keys, serviceAccount: 'kube-bind/konnector' }],
          });
          return lab.signIn();
        };
        const byPage = async (jane: Browser): Promise<() => Promise<Answer>> => {
          const page = await jane.request(`${lab.url}/templates/databases`);
          const fields = { form_token: formTokenOf(page.text), name: 'db', cluster: identity, cluster_name: 'Acme' };
          const offered = await lab.send(jane, '/templates/databases', fields);
          expect(offered.text).toContain('by a token of its own alone');
          const code = /name="code" value="([^"]+)"/u.exec(offered.text)?.[1] ?? '';
          const form = { form_token: formTokenOf(offered.text), code, binding: 'db', kubeconfig };
          return () => lab.send(jane, '/bundle/apply', form);
        };
        const another = await byPage(await begin(foreign));
        const missing = await another();
        expect([missing.status, missing.text.includes('has no ServiceAccount kube-bind/konnector')]).toEqual([
          409,
          true,
        ]);
        for (const [resource, kind, name, namespace] of [
          [resources.namespaces, 'Namespace', 'kube-bind', undefined],
          [resources.serviceAccounts, 'ServiceAccount', 'konnector', 'kube-bind'],
        ] as const)
          await client.create(resource, {
            apiVersion: 'v1',
            kind,
            metadata: { name, ...(namespace && { namespace }) },
          });
        const refused = await another();
        expect([refused.status, refused.text.includes('proves no cluster')]).toEqual([403, true]);
        const brought = { namespace: lab.namespace };
        expect((await lab.cluster.client.list(resources.bindableResourcesRequests, brought)).items).toEqual([]);
        expect(await bound()).toBe(0);
        await lab.end();
        const apply = await byPage(await begin(jwks));
        const done = await apply();
        expect([done.status, done.text.includes('db is applied in your cluster')]).toEqual([200, true]);
        expect(await bound()).toBe(1);
        expect((await apply()).status).toBe(404);
        await client.delete(resources.apiServiceBindings, { name: 'db' });
      } finally {
        await client.close();
      }
    });

    it('is none unless that is switched on', async () => {
      await lab.start();
      const jane = await lab.signIn();
      expect((await apply(jane, await codeFor(jane))).status).toBe(404);
      expect(await bound()).toBe(0);
    });

    it('refuses kubeconfigs that run programs, read files, weaken TLS or go by a proxy, and hosts that nobody has allowed', async () => {
      await start();
      const jane = await lab.signIn();
      const code = await codeFor(jane);
      const refused = [
        changed((_, user) => (user['exec'] = { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch' })),
        changed((_, user) => (user['auth-provider'] = { name: 'oidc' })),
        changed((_, user) => (user['tokenFile'] = '/var/run/secrets/kubernetes.io/serviceaccount/token')),
        changed((_, user) => (user['as'] = 'system:admin')),
        changed((cluster) => (cluster['insecure-skip-tls-verify'] = true)),
        changed((cluster) => (cluster['certificate-authority'] = '/etc/ssl/ca.crt')),
        changed((cluster) => (cluster['proxy-url'] = 'http://127.0.0.1:8080')),
        changed((cluster) => (cluster['server'] = `http://127.0.0.1:${port}`)),
        'no: kubeconfig',
      ];
      for (const text of refused) {
        const answer = await apply(jane, code, text);
        expect([text, answer.status, answer.text.includes('This kubeconfig is not used.')]).toEqual([text, 400, true]);
      }
      for (const server of [
        'https://169.254.169.254',
        'https://127.0.0.1:22',
        `https://10.0.0.1:${port}`,
        `https://[fe80::1]:${port}`,
        'https://kubernetes.default.svc',
      ]) {
        const answer = await apply(
          jane,
          code,
          changed((cluster) => (cluster['server'] = server)),
        );
        expect([server, answer.status, answer.text.includes('does not connect')]).toEqual([server, 403, true]);
      }
      expect(await bound()).toBe(0);
    });

    it('follows no redirect, and tells nothing of what a server says', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hawser-one-click-'));
      const authority = await createCertificateAuthority(folder, 'elsewhere');
      const { cert, key } = await authority.issueServer('elsewhere', [], ['127.0.0.1']);
      const asked: string[] = [];
      const server = createServer({ cert, key }, (request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(302, { location: consumer.connection.server }).end('secret words');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const other = (server.address() as AddressInfo).port;
        await start([other]);
        const jane = await lab.signIn();
        const answer = await apply(
          jane,
          await codeFor(jane),
          changed((cluster) => {
            cluster['server'] = `https://127.0.0.1:${other}`;
            cluster['certificate-authority-data'] = Buffer.from(authority.cert).toString('base64');
          }),
        );
        expect([answer.status, answer.text.includes('secret words')]).toEqual([403, false]);
        expect(asked.length).toBeGreaterThan(0);
        expect(new Set(asked)).toEqual(new Set(['/api/v1/namespaces/kube-system']));
      } finally {
        server.closeAllConnections();
        server.close();
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('takes no code of another person, of another binding, of another cluster, or none', async () => {
      await start();
      const jane = await lab.signIn();
      const code = await codeFor(jane);
      lab.idp.person = { subject: 'joe', groups: ['databases'] };
      const joe = await lab.signIn();
      const answers = [
        await apply(joe, code),
        await apply(jane, code, kubeconfig, { bindingName: 'other' }),
        await apply(jane, await codeFor(jane, 'another-cluster')),
        await apply(jane, undefined),
        await apply(jane, code, kubeconfig, { hostAliases: ['10.0.0.1:provider'] }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 400, 409, 400, 400]);
      const foreign = await jane.request(`${lab.url}/api/apply-binding`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example.com' },
        body: '{"consumerKubeconfig":"eA==","bindingName":"db"}',
      });
      expect(foreign.status).toBe(403);
      expect(await bound()).toBe(0);
    });

    it('does no more than the user of the kubeconfig may, and says what that is', async () => {
      await start();
      const jane = await lab.signIn();
      const client = createClient({ name: 'consumer', connection: consumer.connection });
      try {
        await client.create(resources.serviceAccounts, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { namespace: 'default', name: 'powerless' },
        });
        const { status } = (await client.raw('POST', '/api/v1/namespaces/default/serviceaccounts/powerless/token', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {},
        })) as { readonly status: { readonly token: string } };
        const text = kubeconfigText('consumer', {
          ...consumer.connection,
          credentials: { kind: 'token', token: status.token },
        });
        const answer = await apply(jane, await codeFor(jane), text);
        expect([answer.status, answer.text]).toEqual([
          403,
          expect.stringContaining('may not get Namespace kube-system'),
        ]);
      } finally {
        await client.close();
      }
      expect(await bound()).toBe(0);
    });

    it('applies what the person would have downloaded, once, by the page', async () => {
      await start();
      const jane = await lab.signIn();
      const page = await jane.request(`${lab.url}/templates/databases`);
      const offered = await lab.send(jane, '/templates/databases', {
        form_token: formTokenOf(page.text),
        name: 'db',
        cluster: identity,
        cluster_name: 'Acme',
      });
      const code = /name="code" value="([^"]+)"/u.exec(offered.text)?.[1] ?? '';
      const fields = { form_token: formTokenOf(offered.text), code, binding: 'db', kubeconfig };
      expect((await lab.send(jane, '/bundle/apply', { ...fields, form_token: 'x' })).status).toBe(403);
      const done = await lab.send(jane, '/bundle/apply', fields);
      expect([done.status, done.text.includes('db is applied in your cluster')]).toEqual([200, true]);
      for (const secret of ['client-key-data', 'client-certificate-data', 'token:'])
        expect(done.text).not.toContain(secret);
      expect(await bound()).toBe(1);
      const client = createClient({ name: 'consumer', connection: consumer.connection });
      try {
        const { items } = await client.list(resources.secrets, { namespace: 'kube-bind' });
        const data = items.map(({ data: found }) => (found as { readonly kubeconfig?: string }).kubeconfig ?? '');
        expect(
          data.some((one) =>
            Buffer.from(one, 'base64').toString().includes(clusterNamespaceName('kube-bind-', identity)),
          ),
        ).toBe(true);
      } finally {
        await client.close();
      }
      expect((await lab.send(jane, '/bundle/apply', fields)).status).toBe(404);
    });

    itInChromium(
      'applies it from a real browser, without a fault of the page',
      async () => {
        await start();
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(`${lab.url}/templates/databases`);
          await window.follow('main a.button');
          await page.evaluate(`document.querySelector('[name=name]').value = 'browser'`);
          await page.evaluate(`document.querySelector('[name=cluster]').value = ${JSON.stringify(identity)}`);
          await window.follow('main form button');
          await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
          const faults = [...(await window.faults())];
          await page.evaluate(`document.querySelector('#kubeconfig').value = ${JSON.stringify(kubeconfig)}`);
          await window.follow('form[action="/bundle/apply"] button');
          expect(await page.$eval('h1', (head) => (head as { textContent: string | null }).textContent)).toBe(
            'browser is applied in your cluster',
          );
          faults.push(...(await window.faults()));
          expect([faults, window.wrong]).toEqual([[], []]);
        } finally {
          await window.close();
        }
      },
      120_000,
    );
  },
  { controllerManager: true },
);
