import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { createConsumerAccessController, createOnboardingController } from '@hawser/onboarding';
import { type KubeObject, createClient } from '@hawser/client';
import { clusterNamespaceName, kubeBindDialect, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import {
  createCertificateAuthority,
  describeWithControlPlane,
  eventually,
  freePort,
  uniqueNamespace,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createCredentialsController } from '../../credentials/src/credentials-controller.js';
import { rights as credentialRights } from '../../credentials/src/testing/rights.js';
import { rights as onboardingRights } from '../../onboarding/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { type Portal, type PortalOptions, createPortal } from './index.js';
import { startBalancer } from './testing/balancer.js';
import { Browser } from './testing/browser.js';
import { itInChromium, openWindow } from './testing/chromium.js';
import { type ForgingIssuer, type Forgery, startForgingIssuer } from './testing/forging-issuer.js';
import { type IdentityProvider, clientId, clientSecret, startIdentityProvider } from './testing/identity-provider.js';
import { rights } from './testing/rights.js';

describeWithControlPlane(
  'the portal',
  () => {
    let cluster: ProviderCluster;
    let controllers: Running;
    let idp: IdentityProvider;
    let forging: ForgingIssuer;
    let namespace: string;
    let url: string;
    let port: number;
    const running: { readonly portal: Portal; readonly at: Running }[] = [];

    beforeAll(async () => {
      cluster = await openProviderCluster([...rights, ...onboardingRights, ...credentialRights], {
        controllerManager: true,
      });
      const { server, caData } = cluster.plane.connection;
      controllers = await cluster.run(
        createOnboardingController({ namespacePrefix: 'kube-bind-', prettyName: 'Lab' }),
        createConsumerAccessController({ dialect: kubeBindDialect }),
        createCredentialsController({ dialect: kubeBindDialect, endpoint: () => ({ server, caData }) }),
      );
      await create('ClusterRole', 'clusterRoles', 'kube-binder', {
        rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch'] }],
      });
      for (const name of ['databases', 'secret-project'])
        await create('APIServiceExportTemplate', 'apiServiceExportTemplates', name, {
          spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: name, versions: ['v1'] }] },
        });
      await create('ClusterRole', 'clusterRoles', 'may-bind-databases', {
        rules: [
          {
            apiGroups: ['kube-bind.io'],
            resources: ['apiserviceexporttemplates'],
            resourceNames: ['databases'],
            verbs: ['bind'],
          },
        ],
      });
      await create('ClusterRoleBinding', 'clusterRoleBindings', 'may-bind-databases', {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind-databases' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'databases' }],
      });
      port = await freePort();
      url = `http://127.0.0.1:${port}`;
      idp = await startIdentityProvider([`${url}/api/callback`]);
      forging = await startForgingIssuer(clientId, clientSecret);
    });
    afterAll(async () => {
      await controllers.stop();
      await idp.close();
      await forging.close();
      await cluster.close();
    });
    beforeEach(async () => {
      namespace = uniqueNamespace('portal');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      idp.person = { subject: 'jane', groups: ['databases'] };
    });
    afterEach(async () => {
      for (const { at } of running.splice(0)) await at.stop();
    });

    const create = async (
      kind: string,
      resource: keyof typeof resources,
      name: string,
      rest: object,
    ): Promise<void> => {
      const { group, version } = resources[resource];
      await cluster.client.create(resources[resource], {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name },
        ...rest,
      });
    };
    const start = async (options: Partial<PortalOptions> = {}): Promise<Portal> => {
      const portal = createPortal({
        address: `127.0.0.1:${port}`,
        publicUrl: url,
        issuer: { url: idp.url, clientId, clientSecret },
        prettyName: 'Lab',
        version: '1.2.3',
        namespace,
        requestsPerMinute: 100_000,
        ...options,
      });
      running.push({ portal, at: await cluster.run(portal) });
      return portal;
    };
    const authorize = (parameters: Record<string, string> = {}): string =>
      `${url}/api/authorize?${new URLSearchParams({ redirect_url: `${url}/page`, session_id: 'mine', client_type: 'ui', ...parameters }).toString()}`;
    const signIn = async (browser = new Browser()): Promise<Browser> => {
      const { status, url: at, text } = await browser.follow(authorize(), ({ pathname }) => pathname === '/page');
      if (status !== 302) throw new Error(`sign-in ended with ${status} at ${at}: ${text}`);
      return browser;
    };
    const terminal = async (): Promise<string> => {
      const answer = await new Browser().follow(
        authorize({ client_type: 'cli', redirect_url: 'http://127.0.0.1:39999/callback' }),
        (at) => at.port === '39999',
      );
      return new URL(answer.location).searchParams.get('access_token') ?? '';
    };
    const bind = (browser: Browser, identity: string, template = 'databases', headers: Record<string, string> = {}) =>
      browser.request(`${url}/api/bind`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          metadata: { name: 'db' },
          spec: { templateRef: { name: template }, clusterIdentity: { identity, prettyName: 'Acme' } },
        }),
      });

    it('lets a person in who has signed in, shows what they may bind, and hands out a kubeconfig that works', async () => {
      await start();
      const browser = await signIn();
      expect((await browser.request(`${url}/api/ping`)).text).toBe('pong');
      const templates = JSON.parse((await browser.request(`${url}/api/templates`)).text) as { items: KubeObject[] };
      expect(templates).toMatchObject({ kind: 'APIServiceExportTemplateList', apiVersion: 'kube-bind.io/v1alpha2' });
      expect(templates.items.map(({ metadata }) => metadata.name)).toEqual(['databases']);
      const identity = uniqueNamespace('cluster');
      const answer = await bind(browser, identity);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const response = JSON.parse(answer.text) as { kubeconfig: string };
      expect(response).toMatchObject({
        kind: 'BindingResponse',
        apiVersion: 'kube-bind.io/v1alpha2',
        authentication: { oauth2CodeGrant: { id: `${idp.url}/jane` } },
        providerNamespace: clusterNamespaceName('kube-bind-', identity),
        requests: [
          {
            kind: 'APIServiceExportRequest',
            metadata: { name: 'db' },
            spec: { resources: [{ resource: 'databases' }] },
          },
        ],
      });
      const read = parseSecretKubeconfig(Buffer.from(response.kubeconfig, 'base64'));
      if (!read.ok) throw new Error('no kubeconfig');
      const client = createClient({ name: 'consumer', connection: read.connection });
      await eventually(async () => {
        await client.list(resources.apiServiceExports, { namespace: clusterNamespaceName('kube-bind-', identity) });
      });
      await client.close();
      // Once more: the same.
      expect((JSON.parse((await bind(browser, identity)).text) as { kubeconfig: string }).kubeconfig).toBe(
        response.kubeconfig,
      );
      expect(JSON.parse((await browser.request(`${url}/api/consumer-status`)).text)).toEqual({
        connected: false,
        namespace: clusterNamespaceName('kube-bind-', identity),
        exports: [],
      });
    });

    it('gives a consumer that was removed to its owner again', async () => {
      await start();
      const browser = await signIn();
      const identity = uniqueNamespace('cluster');
      expect((await bind(browser, identity)).status).toBe(200);
      const name = clusterNamespaceName('kube-bind-', identity);
      await cluster.client.delete(resources.namespaces, { name });
      await eventually(
        async () => {
          expect(await cluster.read(resources.namespaces, { name })).toBeUndefined();
        },
        { timeoutMs: 60_000 },
      );
      const again = await bind(browser, identity);
      expect([again.status, again.text.length > 500]).toEqual([200, true]);
    });

    it("refuses another person's cluster, and its owner's group shares it", async () => {
      await start();
      const identity = uniqueNamespace('cluster');
      expect((await bind(await signIn(), identity)).status).toBe(200);
      idp.person = { subject: 'joe', groups: ['databases', 'team-a'] };
      const joe = await signIn();
      const refused = await bind(joe, identity);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        403,
        expect.objectContaining({
          kind: 'Error',
          code: 'AUTHORIZATION_FAILED',
          message: expect.stringContaining('Somebody else has bound this cluster'),
        }),
      ]);
      expect(refused.text).not.toContain('jane');
      expect(running[0]?.at.events.map(({ event }) => event.reason)).toContain('ClusterOfAnotherOwner');
      const { items } = await cluster.client.list(resources.bindableResourcesRequests, { namespace });
      const [request] = items;
      await cluster.client.patch(
        resources.bindableResourcesRequests,
        { namespace, name: request?.metadata.name ?? '' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/owner-group': 'team-a' } } } },
      );
      expect((await bind(joe, identity)).status).toBe(200);
    });

    it('gives nobody a consumer that was brought in otherwise, and makes nobody its owner', async () => {
      await start();
      const elsewhere = uniqueNamespace('elsewhere');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: elsewhere },
      });
      const identity = uniqueNamespace('cluster');
      await cluster.client.create(resources.bindableResourcesRequests, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { namespace: elsewhere, name: 'acme' },
        spec: { author: 'operator', clusterIdentity: { identity } },
      } as KubeObject);
      const name = clusterNamespaceName('kube-bind-', identity);
      await eventually(async () => {
        expect(await cluster.read(resources.secrets, { namespace: name, name: 'kubeconfig' })).toBeDefined();
      });
      const jane = await signIn();
      const answer = await bind(jane, identity);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('knows this cluster already')]);
      expect((await cluster.client.list(resources.bindableResourcesRequests, { namespace })).items).toEqual([]);
      await cluster.client.patch(
        resources.namespaces,
        { name },
        {
          type: 'merge',
          patch: { metadata: { annotations: { 'hawser.dev/onboarding-namespaces': `${elsewhere},${namespace}` } } },
        },
      );
      await eventually(async () => {
        expect((await bind(jane, identity)).status).toBe(200);
      });
    });

    it('lets a person bring in so many clusters and no more, and goes on with those', async () => {
      await start({ clustersPerPerson: 1 });
      const jane = await signIn();
      const first = uniqueNamespace('cluster');
      expect((await bind(jane, first)).status).toBe(200);
      const second = await bind(jane, uniqueNamespace('cluster'));
      expect([second.status, second.text]).toEqual([
        403,
        expect.stringContaining('You have 1 clusters here, and may have 1'),
      ]);
      expect((await bind(jane, first)).status).toBe(200);
    });

    it('ties a cluster for which two ask at the same moment to one of them', async () => {
      await start();
      const jane = await signIn();
      idp.person = { subject: 'joe', groups: ['databases'] };
      const joe = await signIn();
      const identity = uniqueNamespace('cluster');
      const answers = await Promise.all([bind(jane, identity), bind(joe, identity)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    });

    it('does not know a template that is hidden from the person, and leaves nothing behind', async () => {
      await start();
      const browser = await signIn();
      const hidden = await bind(browser, uniqueNamespace('cluster'), 'secret-project');
      const missing = await bind(browser, uniqueNamespace('cluster'), 'no-such-thing-');
      const absent = await bind(browser, uniqueNamespace('cluster'), 'no-such-thing');
      expect([hidden.status, missing.status, absent.status]).toEqual([404, 400, 404]);
      expect(hidden.text.replace('secret-project', 'X')).toBe(absent.text.replace('no-such-thing', 'X'));
      expect((await cluster.client.list(resources.bindableResourcesRequests, { namespace })).items).toEqual([]);
    });

    it('takes no name of Kubernetes itself from an identity provider', async () => {
      await start();
      idp.person = { subject: 'eve', groups: ['system:masters'] };
      const eve = await signIn();
      expect(JSON.parse((await eve.request(`${url}/api/templates`)).text)).toMatchObject({ items: [] });
      idp.person = { subject: 'system:admin', groups: [] };
      expect(JSON.parse((await (await signIn()).request(`${url}/api/templates`)).text)).toMatchObject({ items: [] });
    });

    it('signs a terminal in at a loopback address, with a token that opens the API for five minutes', async () => {
      await start();
      const token = await terminal();
      const asTerminal = { authorization: `Bearer ${token}` };
      const answer = await new Browser().request(`${url}/api/templates`, { headers: asTerminal });
      expect([answer.status, (JSON.parse(answer.text) as { items: unknown[] }).items.length]).toEqual([200, 1]);
      const bound = await bind(new Browser(), uniqueNamespace('cluster'), 'databases', asTerminal);
      expect(bound.status).toBe(200);
      // Not a session: as a cookie it is nothing.
      const cookie = new Browser();
      cookie.cookies(url).set('hawser-0', token);
      expect((await cookie.request(`${url}/api/ping`)).status).toBe(401);
    });

    it.each([
      ['another host', { redirect_url: 'https://evil.example.com/' }],
      ['a host by two slashes', { redirect_url: '//evil.example.com/' }],
      ['a host by backslashes', { redirect_url: '\\\\evil.example.com' }],
      ['a script', { redirect_url: 'javascript:alert(1)' }],
      ['a data URL', { redirect_url: 'data:text/html,x' }],
      ['another port of this host', { redirect_url: 'http://127.0.0.1:1/' }],
      ['a user name in front', { redirect_url: 'http://127.0.0.1@evil.example.com/', client_type: 'cli' }],
      ['a name like loopback', { redirect_url: 'http://127.0.0.1.evil.example.com/', client_type: 'cli' }],
      ['another loopback name', { redirect_url: 'http://localhost.evil.example.com:80/', client_type: 'cli' }],
      ['a terminal over https', { redirect_url: 'https://evil.example.com/', client_type: 'cli' }],
    ])('sends nobody to %s after the sign-in', async (_, parameters) => {
      await start();
      const answer = await new Browser().request(authorize(parameters));
      expect([answer.status, answer.location, JSON.parse(answer.text)]).toEqual([
        400,
        '',
        expect.objectContaining({
          kind: 'Error',
          code: 'BAD_REQUEST',
          message: expect.stringContaining('sign-in is refused'),
        }),
      ]);
    });

    it('signs no terminal in where that is switched off', async () => {
      await start({ terminals: false });
      const answer = await new Browser().request(
        authorize({ client_type: 'cli', redirect_url: 'http://127.0.0.1:39999/' }),
      );
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('switched off')]);
    });

    it('takes the answer of a sign-in only in the browser that began it, and once', async () => {
      await start();
      const jane = new Browser();
      const { location } = await jane.follow(authorize(), ({ pathname }) => pathname === '/api/callback');
      const victim = await new Browser().request(location);
      expect([victim.status, victim.text]).toEqual([400, expect.stringContaining('not begun in this browser')]);
      const forged = await jane.request(location.replace(/state=[^&]*/u, 'state=forged'));
      expect(forged.status).toBe(400);
      expect((await jane.request(location)).status).toBe(302);
      expect((await jane.request(location)).status).toBe(400);
    });

    it('takes no code that belongs to another sign-in', async () => {
      await start();
      const jane = new Browser();
      const first = new URL((await jane.follow(authorize(), ({ pathname }) => pathname === '/api/callback')).location);
      idp.person = { subject: 'eve', groups: ['databases'] };
      const eves = new URL(
        (await new Browser().follow(authorize(), ({ pathname }) => pathname === '/api/callback')).location,
      );
      first.searchParams.set('code', eves.searchParams.get('code') ?? '');
      const answer = await jane.request(first.href);
      expect([answer.status, (await jane.request(`${url}/api/ping`)).status]).toEqual([400, 401]);
    });

    it.each<[Forgery, number]>([
      ['none', 302],
      ['unsigned', 400],
      ['wrong-key', 400],
      ['wrong-audience', 400],
      ['wrong-issuer', 400],
      ['expired', 400],
      ['no-nonce', 400],
      ['foreign-nonce', 400],
      ['hmac-with-the-secret', 400],
    ])('judges an ID token that is forged like this: %s', async (forgery, status) => {
      await start({ issuer: { url: forging.url, clientId, clientSecret } });
      forging.forgery = forgery;
      const browser = new Browser();
      const answer = await browser.follow(authorize(), ({ pathname }) => pathname === '/page');
      expect([answer.status, new URL(answer.url).pathname]).toEqual([status, '/api/callback']);
      expect((await browser.request(`${url}/api/ping`)).status).toBe(status === 302 ? 200 : 401);
    });

    it('has a sign-out count on every replica, and gives each sign-in another session', async () => {
      await start();
      const second = await freePort();
      await start({ address: `127.0.0.1:${second}` });
      const browser = await signIn();
      const stolen = new Browser();
      for (const [name, value] of browser.cookies(url)) stolen.cookies(url).set(name, value);
      // Sealed by one replica, opened by the other.
      expect((await stolen.request(`http://127.0.0.1:${second}/api/ping`)).status).toBe(200);
      expect((await browser.request(`${url}/api/logout`, { method: 'POST' })).text).toBe('logged out');
      expect((await browser.request(`${url}/api/ping`)).status).toBe(401);
      expect((await stolen.request(`${url}/api/ping`)).status).toBe(401);
      await eventually(async () => {
        expect((await stolen.request(`http://127.0.0.1:${second}/api/ping`)).status).toBe(401);
      });
    });

    it('lets 200 people in while one of two replicas goes and comes back, and its keys are rotated', async () => {
      const ports = [await freePort(), await freePort()];
      const balancer = await startBalancer(port, ports);
      const replica = (at: number): Promise<Portal> => start({ address: `127.0.0.1:${at}`, keyMs: 20 });
      await replica(ports[0] ?? 0);
      await replica(ports[1] ?? 0);
      let signedIn = 0;
      const people = Array.from({ length: 10 }, async () => {
        for (let count = 0; count < 20; count++) {
          const browser = await signIn();
          expect((await browser.request(`${url}/api/ping`)).status).toBe(200);
          signedIn++;
        }
      });
      const restarts = (async () => {
        for (let count = 0; count < 3; count++) {
          const second = running.pop();
          await second?.at.stop();
          await replica(ports[1] ?? 0);
        }
      })();
      await Promise.all([...people, restarts]);
      await balancer.close();
      expect(signedIn).toBe(200);
    });

    it('signs a person in who is in 300 groups', async () => {
      await start();
      idp.person = {
        subject: 'mary',
        groups: ['databases', ...Array.from({ length: 300 }, (_, index) => `group-with-a-long-name-${index}`)],
      };
      const mary = await signIn();
      expect(JSON.parse((await mary.request(`${url}/api/templates`)).text)).toMatchObject({
        items: [{ metadata: { name: 'databases' } }],
      });
      idp.person = {
        subject: 'max',
        groups: Array.from({ length: 3_000 }, (_, index) => `group-with-a-long-name-${index}`),
      };
      const max = await new Browser().follow(authorize(), ({ pathname }) => pathname === '/page');
      expect([max.status, max.text]).toEqual([403, expect.stringContaining('too many groups')]);
    });

    it('refuses what another site has a browser send', async () => {
      await start();
      const browser = await signIn();
      const identity = uniqueNamespace('cluster');
      const foreign = await bind(browser, identity, 'databases', { origin: 'https://evil.example.com' });
      const nested = await bind(browser, identity, 'databases', { 'sec-fetch-site': 'cross-site' });
      const form = await browser.request(`${url}/api/bind`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'metadata=x',
      });
      const logout = await browser.request(`${url}/api/logout`, { method: 'POST', headers: { origin: 'null' } });
      expect([foreign.status, nested.status, form.status, logout.status]).toEqual([403, 403, 415, 403]);
      expect((await bind(browser, identity, 'databases', { origin: url })).status).toBe(200);
    });

    it('answers in the shape of the contract what it does not do', async () => {
      await start();
      const browser = await signIn();
      const unknown = await browser.request(`${url}/api/nothing?code=secret`);
      const method = await browser.request(`${url}/api/templates`, { method: 'DELETE' });
      const long = await browser.request(`${url}/api/bind`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name: 'x'.repeat(1_048_577) } }),
      });
      const broken = await browser.request(`${url}/api/bind`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{',
      });
      const other = await browser.request(`${url}/api/templates?cluster_id=root`);
      expect(
        [unknown, method, long, broken, other].map(({ status, text }) => [
          status,
          (JSON.parse(text) as { code: string }).code,
        ]),
      ).toEqual([
        [404, 'RESOURCE_NOT_FOUND'],
        [405, 'BAD_REQUEST'],
        [413, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
      ]);
      expect(method.headers.get('allow')).toContain('GET');
    });

    it('says what it is, with its public address whatever Host is sent, and describes itself', async () => {
      await start();
      const browser = new Browser();
      const provider = await browser.request(`${url}/api/exports?session_id=s&client_type=cli`, {
        headers: { 'x-forwarded-host': 'evil.example.com' },
      });
      expect(JSON.parse(provider.text)).toEqual({
        kind: 'BindingProvider',
        apiVersion: 'v1alpha2',
        version: '1.2.3',
        providerPrettyName: 'Lab',
        authenticationMethods: [
          {
            method: 'OAuth2CodeGrant',
            oauth2CodeGrant: { authenticatedURL: `${url}/api/authorize?session_id=s&client_type=cli` },
          },
        ],
      });
      const document = JSON.parse((await browser.request(`${url}/api/openapi.json`)).text) as { paths: object };
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/api/bind', '/api/templates', '/api/authorize']),
      );
      expect(provider.headers.get('x-frame-options')).toBe('DENY');
      expect(provider.headers.get('content-security-policy')).toContain("default-src 'none'");
    });

    it('goes on with the sign-ins of people when its keys are rotated, and after a restart', async () => {
      await start();
      const browser = await signIn();
      for (const { at } of running.splice(0)) await at.stop();
      // Older than a key may seal: the next start makes another.
      await start({ keyMs: 1 });
      await signIn();
      expect((await browser.request(`${url}/api/ping`)).status).toBe(200);
      const secret = await cluster.read<KubeObject & { data: object }>(resources.secrets, {
        namespace,
        name: 'hawser-portal-keys',
      });
      expect(Object.keys(secret?.data ?? {}).length).toBeGreaterThan(1);
    });

    it('ends TLS with a certificate that is read again when it changes, and gives cookies that go nowhere else', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hawser-portal-'));
      const ca = await createCertificateAuthority(folder, 'portal');
      const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
      const write = async (): Promise<void> => {
        const { cert, key } = await ca.issueServer('portal', [], ['127.0.0.1']);
        await writeFile(keyFile, key, { mode: 0o600 });
        await writeFile(certFile, cert);
      };
      await write();
      await start({ publicUrl: `https://127.0.0.1:${port}`, tls: { certFile, keyFile } });
      const look = (): Promise<{
        readonly serial: string;
        readonly cookies: readonly string[];
        readonly hsts: unknown;
      }> =>
        new Promise((resolve, reject) => {
          const path = `/api/authorize?redirect_url=/&session_id=mine`;
          get({ host: '127.0.0.1', port, path, ca: ca.cert, agent: false }, (response) => {
            const { socket } = response;
            const serialNumber = socket instanceof TLSSocket ? socket.getPeerCertificate().serialNumber : '';
            response.resume();
            resolve({
              serial: serialNumber,
              cookies: response.headers['set-cookie'] ?? [],
              hsts: response.headers['strict-transport-security'],
            });
          }).on('error', reject);
        });
      const before = await look();
      expect(before.cookies).toEqual([
        expect.stringMatching(/^__Host-hawser-sign-in-.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/u),
      ]);
      expect(before.hsts).toContain('max-age=31536000');
      await write();
      await eventually(async () => {
        expect((await look()).serial).not.toBe(before.serial);
      });
      await rm(folder, { recursive: true });
    });

    const awaiting = (consumer: string, redirect = 'http://127.0.0.1:39999/callback'): string =>
      `?${new URLSearchParams({ redirect_url: redirect, session_id: 'terminal', consumer_id: consumer }).toString()}`;
    const signInLinkOf = (page: string): string =>
      /href="(\/api\/authorize[^"]+)"/u.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const formTokenOf = (page: string): string => /name="form_token" value="([^"]+)"/u.exec(page)?.[1] ?? '';
    const send = (
      browser: Browser,
      path: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ) =>
      browser.request(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url, ...headers },
        body: new URLSearchParams(fields).toString(),
      });

    it('shows in a browser what a person may bind, and nothing else, with words of the provider as text', async () => {
      await start();
      const browser = new Browser();
      const front = await browser.request(`${url}/`);
      expect([front.status, front.text.includes('databases')]).toEqual([200, false]);
      const signed = await browser.follow(`${url}${signInLinkOf(front.text)}`);
      expect([new URL(signed.url).pathname, signed.status]).toEqual(['/', 200]);
      expect([signed.text.includes('/templates/databases'), signed.text.includes('secret-project')]).toEqual([
        true,
        false,
      ]);
      await cluster.client.patch(
        resources.apiServiceExportTemplates,
        { name: 'databases' },
        { type: 'merge', patch: { spec: { description: '<img src=x onerror="alert(1)"> & more' } } },
      );
      const page = await browser.request(`${url}/templates/databases`);
      expect(page.text).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;> &amp; more');
      expect(page.text).not.toContain('<script');
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      const hidden = await browser.request(`${url}/templates/secret-project`);
      const missing = await browser.request(`${url}/templates/is-not-there`);
      expect([hidden.status, hidden.text.replaceAll('secret-project', 'is-not-there')]).toEqual([404, missing.text]);
      const found = await browser.request(`${url}/?q=${encodeURIComponent('nothing "like" <this>')}`);
      expect(found.text).toContain('Nothing has these words in it.');
    });

    it('answers kubectl bind, which waits in a terminal, once the person has agreed', async () => {
      await start();
      const browser = new Browser();
      const consumer = uniqueNamespace('cluster');
      const flow = awaiting(consumer);
      const front = await browser.request(`${url}/${flow}`);
      const catalogue = await browser.follow(`${url}${signInLinkOf(front.text)}`);
      expect(new URL(catalogue.url).searchParams.toString()).toBe(flow.slice(1));
      expect(catalogue.text).toContain(`/templates/databases${flow.replaceAll('&', '&amp;')}`);
      const page = await browser.request(`${url}/templates/databases${flow}`);
      expect(page.text).toContain(consumer);
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:39999;");
      const answer = await send(browser, `/templates/databases${flow}`, {
        form_token: formTokenOf(page.text),
        name: 'my-databases',
      });
      const to = new URL(answer.location);
      expect([answer.status, to.origin, to.pathname, to.searchParams.get('session_id')]).toEqual([
        303,
        'http://127.0.0.1:39999',
        '/callback',
        'terminal',
      ]);
      const text = to.searchParams.get('binding_response') ?? '';
      expect(text).toMatch(/^[-\w]+={0,2}$/u);
      const response = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
        readonly kubeconfig: string;
        readonly requests: readonly { readonly metadata: { readonly name: string } }[];
      };
      expect(response.requests.map(({ metadata }) => metadata.name)).toEqual(['my-databases']);
      const kubeconfig = Buffer.from(response.kubeconfig, 'base64').toString();
      expect(kubeconfig).toContain(clusterNamespaceName('kube-bind-', consumer));
    });

    itInChromium(
      'lets a person bind in a real browser, from kubectl bind to its answer, without a fault of its pages',
      async () => {
        await start();
        const answers: string[] = [];
        const terminal = createServer((request, response) => {
          if (request.url?.startsWith('/callback') === true) answers.push(request.url);
          response.end('You can close this window.');
        });
        await new Promise<void>((resolve) => terminal.listen(0, '127.0.0.1', resolve));
        const { port: at } = terminal.address() as AddressInfo;
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(`${url}/${awaiting(uniqueNamespace('cluster'), `http://127.0.0.1:${at}/callback`)}`);
          const faults = [...(await window.faults())];
          await window.follow('main a.button');
          faults.push(...(await window.faults()));
          await window.follow('.card a');
          faults.push(...(await window.faults()));
          await window.follow('main form button');
          expect([faults, window.wrong]).toEqual([[], []]);
          expect(answers.map((one) => new URL(one, url).searchParams.get('session_id'))).toEqual(['terminal']);
          await page.goto(url);
          await window.follow('.person button');
          expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('You are signed out');
          await page.goto(url);
          expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Sign in to Lab');
        } finally {
          await window.close();
          terminal.closeAllConnections();
          terminal.close();
        }
      },
      120_000,
    );

    it('takes no form that was not shown to this very person, and answers no other place', async () => {
      await start();
      const [jane, mallory] = [await signIn(), await signIn()];
      const flow = awaiting(uniqueNamespace('cluster'));
      const page = await jane.request(`${url}/templates/databases${flow}`);
      const others = await mallory.request(`${url}/templates/databases${flow}`);
      const [own, foreign] = [formTokenOf(page.text), formTokenOf(others.text)];
      const path = `/templates/databases${flow}`;
      const tries = [
        await send(jane, path, { form_token: 'made-up', name: 'one' }),
        await send(jane, path, { form_token: foreign, name: 'one' }),
        await send(jane, path, { form_token: own, name: 'one' }, { origin: 'https://evil.example.com' }),
        await send(new Browser(), path, { form_token: own, name: 'one' }),
        await send(jane, '/sign-out', { form_token: foreign }),
        await send(jane, path, { form_token: own, name: 'No Name' }),
        await send(jane, `/templates/databases${awaiting('c', 'http://127.0.0.1.example.com/callback')}`, {
          form_token: own,
          name: 'one',
        }),
        await send(jane, '/templates/databases', { form_token: own, name: 'one' }),
        await jane.request(`${url}/${awaiting('c', 'https://evil.example.com/callback')}`),
        await jane.request(`${url}/${awaiting('', 'http://127.0.0.1:39999/callback')}`),
      ];
      expect(tries.map(({ status, location }) => [status, location])).toEqual(
        [403, 403, 403, 401, 403, 400, 400, 400, 400, 400].map((status) => [status, '']),
      );
      const out = await send(jane, '/sign-out', { form_token: own });
      expect([out.status, (await jane.request(`${url}/`)).text.includes('/api/authorize')]).toEqual([200, true]);
    });

    it('answers no terminal where that is switched off', async () => {
      await start({ terminals: false });
      const answer = await (await signIn()).request(`${url}/${awaiting('c')}`);
      expect([answer.status, answer.text.includes('switched off')]).toEqual([400, true]);
    });

    it('limits what one address may ask for', async () => {
      await start({ requestsPerMinute: 5 });
      const browser = new Browser();
      const statuses: number[] = [];
      for (let count = 0; count < 8; count++) statuses.push((await browser.request(`${url}/api/exports`)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    });

    it.each(['http://portal.example.com', 'ftp://127.0.0.1', 'portal'])('is not served at %s', (publicUrl) => {
      expect(() =>
        createPortal({
          address: '127.0.0.1:0',
          publicUrl,
          issuer: { url: 'https://issuer.example.com', clientId },
          prettyName: 'x',
          version: 'x',
          namespace: 'x',
        }),
      ).toThrow(/publicUrl/u);
    });
  },
  { controllerManager: true },
);
