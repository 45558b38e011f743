import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { type KubeObject, createClient } from '@hawser/client';
import { claimId, clusterNamespaceName, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import {
  createCertificateAuthority,
  describeWithControlPlane,
  eventually,
  freePort,
  uniqueNamespace,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { ProviderCluster } from '../../servicenamespace/src/testing/provider-cluster.js';
import { expiringLease } from './expiring-leases.js';
import { type Portal, type PortalOptions, createPortal } from './index.js';
import { identityOf } from './person.js';
import { hashOf } from './personal-grants.js';
import { startBalancer } from './testing/balancer.js';
import { type Answer, Browser } from './testing/browser.js';
import { type ForgingIssuer, type Forgery, startForgingIssuer } from './testing/forging-issuer.js';
import { type IdentityProvider, clientId, clientSecret } from './testing/identity-provider.js';
import { Lab, claims } from './testing/lab.js';

const [secretsClaim = '', configMapsClaim = ''] = claims.map(claimId);

describeWithControlPlane(
  'the portal',
  () => {
    let lab: Lab;
    let cluster: ProviderCluster;
    let idp: IdentityProvider;
    let forging: ForgingIssuer;
    let namespace: string;
    let url: string;
    let port: number;

    beforeAll(async () => {
      lab = await Lab.open();
      ({ cluster, idp, url, port } = lab);
      forging = await startForgingIssuer(clientId, clientSecret);
    });
    afterAll(async () => {
      await forging.close();
      await lab.close();
    });
    beforeEach(async () => {
      await lab.begin();
      ({ namespace } = lab);
    });
    afterEach(() => lab.end());

    const start = (options: Partial<PortalOptions> = {}): Promise<Portal> => lab.start(options);
    const authorize = (parameters: Record<string, string> = {}): string => lab.authorize(parameters);
    const signIn = (browser?: Browser): Promise<Browser> => lab.signIn(browser);
    const terminal = async (): Promise<string> => {
      const answer = await new Browser().follow(
        authorize({ client_type: 'cli', redirect_url: 'http://127.0.0.1:39999/callback' }),
        (at) => at.port === '39999',
      );
      return new URL(answer.location).searchParams.get('access_token') ?? '';
    };
    const bind = (
      browser: Browser,
      identity: string,
      template = 'databases',
      headers: Record<string, string> = {},
      at = url,
    ) =>
      browser.request(`${at}/api/bind`, {
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

    const bundle = (
      browser: Browser,
      identity: string,
      { name = 'db', template = 'claiming', acceptedClaims = [] as readonly string[] } = {},
      headers: Record<string, string> = {},
    ) =>
      browser.request(`${url}/api/bundles`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          metadata: { name },
          spec: { templateRef: { name: template }, clusterIdentity: { identity }, acceptedClaims },
        }),
      });
    const offered = (answer: { readonly text: string }) =>
      JSON.parse(answer.text) as { code: string; command: string; expires: string; providerNamespace: string };
    const fetchBundle = (code: string, at = url) =>
      new Browser().request(`${at}/api/bundle`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: code,
      });
    const codeLeases = async (): Promise<readonly KubeObject[]> =>
      (await cluster.client.list(resources.leases, { namespace, labelSelector: 'hawser.dev/portal=bundle-code' }))
        .items;
    const asClaire = (): Promise<Browser> => {
      idp.person = { subject: 'claire', groups: [] };
      return signIn();
    };

    it('binds for a person by a bundle that has the kubeconfig and the claims that they accepted', async () => {
      await start();
      const claire = await asClaire();
      const identity = uniqueNamespace('cluster');
      const made = await bundle(claire, identity, { acceptedClaims: [secretsClaim] });
      expect(made.status).toBe(201);
      const { code, command, providerNamespace } = offered(made);
      expect(command).toContain(`${url}/api/bundle | kubectl apply`);
      expect(command).not.toContain(code);
      const key = { namespace: providerNamespace, name: 'db' };
      expect(await cluster.read(resources.apiServiceExportRequests, key)).toMatchObject({
        spec: { resources: [{ resource: 'databases' }], permissionClaims: [{ resource: 'secrets' }, {}] },
      });
      const answer = await fetchBundle(`${code}\n`);
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
        200,
        expect.stringContaining('yaml'),
        'attachment; filename="db.yaml"',
      ]);
      const objects = parseAllDocuments(answer.text).map((document) => document.toJS() as KubeObject);
      expect(objects).toEqual([
        expect.objectContaining({ kind: 'Namespace', metadata: { name: 'kube-bind' } }),
        expect.objectContaining({ kind: 'Secret', type: 'Opaque' }),
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'hawser-bound-db', labels: { 'rbac.hawser.dev/aggregate-to-konnector': 'true' } },
          rules: [
            { apiGroups: ['example.com'], resources: ['databases'], verbs: ['get', 'list', 'watch', 'patch'] },
            { apiGroups: ['example.com'], resources: ['databases/status'], verbs: ['update'] },
            { apiGroups: [''], resources: ['secrets'], verbs: expect.arrayContaining(['get', 'delete']) },
          ],
        },
        {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceBinding',
          metadata: { name: 'db', annotations: { 'hawser.dev/accepted-claims': secretsClaim } },
          spec: {
            kubeconfigSecretRef: { namespace: 'kube-bind', name: objects[1]?.metadata.name, key: 'kubeconfig' },
          },
        },
      ]);
      const { data } = objects[1] as KubeObject & { data: { kubeconfig: string } };
      const read = parseSecretKubeconfig(Buffer.from(data.kubeconfig, 'base64'));
      if (!read.ok) throw new Error('no kubeconfig');
      const client = createClient({ name: 'consumer', connection: read.connection });
      await eventually(async () => {
        await client.list(resources.apiServiceExports, { namespace: providerNamespace });
      });
      await client.close();
      expect(await codeLeases()).toEqual([]);
    });

    it('gives a bundle for a code once, on whichever replica, and to one of two who race', async () => {
      await start();
      const second = await freePort();
      await start({ address: `127.0.0.1:${second}` });
      const claire = await asClaire();
      const { code } = offered(await bundle(claire, uniqueNamespace('cluster')));
      const answers = await Promise.all(
        [url, `http://127.0.0.1:${second}`, url, `http://127.0.0.1:${second}`].map((at) => fetchBundle(code, at)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
      const again = await fetchBundle(code);
      expect([again.status, again.text]).toEqual([404, expect.stringContaining('has been used')]);
    });

    it('keeps a code from whoever reads or writes Leases', async () => {
      await start();
      const claire = await asClaire();
      const { code } = offered(await bundle(claire, uniqueNamespace('cluster'), { name: 'one' }));
      const other = offered(await bundle(claire, uniqueNamespace('cluster'), { name: 'two' }));
      const [first, last] = await codeLeases();
      expect(JSON.stringify([first, last])).not.toMatch(new RegExp(`${code}|${other.code}|claire`, 'u'));
      if (first === undefined || last === undefined) throw new Error('no Leases');
      // Each is worth what the other was.
      for (const [lease, from] of [
        [first, last],
        [last, first],
      ] as const)
        await cluster.client.patch(
          resources.leases,
          { namespace, name: lease.metadata.name },
          { type: 'merge', patch: { metadata: { annotations: from.metadata.annotations } } },
        );
      expect((await fetchBundle(code)).status).toBe(404);
      expect((await fetchBundle('A'.repeat(22))).status).toBe(404);
      expect((await fetchBundle('../../secrets')).status).toBe(400);
    });

    it('hands out no bundle to one from whom the cluster was taken since', async () => {
      await start();
      const claire = await asClaire();
      const { code } = offered(await bundle(claire, uniqueNamespace('cluster')));
      const { items } = await cluster.client.list(resources.bindableResourcesRequests, { namespace });
      await cluster.client.patch(
        resources.bindableResourcesRequests,
        { namespace, name: items[0]?.metadata.name ?? '' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/owner-subject': 'somebody' } } } },
      );
      expect((await fetchBundle(code)).status).toBe(403);
    });

    it('makes no bundle of what a person may not bind or has not read, and a bounded number of codes', async () => {
      await start();
      const claire = await asClaire();
      const identity = uniqueNamespace('cluster');
      const hidden = await bundle(claire, identity, { template: 'databases' });
      const unread = await bundle(claire, identity, { acceptedClaims: ['0'.repeat(32)] });
      const foreign = await bundle(claire, identity, {}, { origin: 'https://evil.example.com' });
      const signedOut = await bundle(new Browser(), identity);
      expect([hidden, unread, foreign, signedOut].map(({ status }) => status)).toEqual([404, 400, 403, 401]);
      expect(unread.text).toContain(`${configMapsClaim} (all configmaps)`);
      expect((await cluster.client.list(resources.bindableResourcesRequests, { namespace })).items).toEqual([]);
      for (let count = 0; count < 10; count++) expect((await bundle(claire, identity)).status).toBe(201);
      const eleventh = await bundle(claire, identity);
      expect([eleventh.status, eleventh.text]).toEqual([429, expect.stringContaining('10 codes that are not used')]);
      idp.person = { subject: 'jane', groups: ['databases'] };
      const jane = await signIn();
      expect((await bundle(jane, uniqueNamespace('cluster'), { template: 'databases' })).status).toBe(201);
    });

    it('hands out no bundle of a template that has changed since it was read, and no right that no provider may have', async () => {
      await start();
      const claire = await asClaire();
      const change = (resources_: readonly object[]) =>
        cluster.client.patch(
          resources.apiServiceExportTemplates,
          { name: 'claiming' },
          { type: 'merge', patch: { spec: { resources: resources_ } } },
        );
      const databases = { group: 'example.com', resource: 'databases', versions: ['v1'] };
      const roles = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', versions: ['v1'] };
      const pods = { group: '', resource: 'pods', versions: ['v1'] };
      try {
        const identity = uniqueNamespace('cluster');
        const { code } = offered(await bundle(claire, identity));
        await change([databases, { ...databases, resource: 'volumes' }]);
        const changed = await fetchBundle(code);
        expect([changed.status, changed.text]).toEqual([409, expect.stringContaining('has changed')]);
        await change([databases, roles, pods]);
        const wide = await fetchBundle(offered(await bundle(claire, identity, { name: 'wide' })).code);
        expect([wide.status, wide.text.includes('clusterroles'), wide.text.includes('pods')]).toEqual([
          200,
          false,
          false,
        ]);
      } finally {
        await change([databases]);
      }
    });

    it('serves the manifests of a konnector where the provider names an image, and says so where it does not', async () => {
      await start();
      const none = await new Browser().request(`${url}/api/konnector-manifests`);
      expect([none.status, none.text]).toEqual([404, expect.stringContaining('names no image')]);
      await lab.end();
      await start({ konnectorImage: 'registry.example.com/hawser:1' });
      const served = await new Browser().request(`${url}/api/konnector-manifests`);
      expect([served.status, served.headers.get('content-type'), served.headers.get('content-disposition')]).toEqual([
        200,
        expect.stringContaining('text/yaml'),
        'attachment; filename="konnector.yaml"',
      ]);
      const objects = parseAllDocuments(served.text).map((one) => one.toJS() as KubeObject);
      expect(objects.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['Namespace', 'ClusterRole', 'Deployment']),
      );
      expect(served.text).toContain('image: registry.example.com/hawser:1');
    });

    it('does not bind something else under the name of a binding', async () => {
      await start();
      idp.person = { subject: 'claire', groups: ['databases'] };
      const claire = await signIn();
      const identity = uniqueNamespace('cluster');
      expect((await bundle(claire, identity)).status).toBe(201);
      const other = await bundle(claire, identity, { template: 'databases' });
      expect([other.status, other.text]).toEqual([409, expect.stringContaining('for something else')]);
      // What was refused is granted neither.
      const { providerNamespace } = offered(await bundle(claire, identity));
      const key = { namespace: providerNamespace, name: 'cluster' };
      expect((await cluster.read(resources.clusterBindings, key))?.metadata.annotations).toMatchObject({
        'hawser.dev/granted-templates': 'claiming',
      });
    });

    it('gives a person no more codes for asking at the same moment', async () => {
      await start();
      const claire = await asClaire();
      const identity = uniqueNamespace('cluster');
      expect((await bundle(claire, identity)).status).toBe(201);
      const answers = await Promise.all(Array.from({ length: 25 }, () => bundle(claire, identity)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
      expect((await codeLeases()).length).toBeLessThanOrEqual(10);
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
      expect(lab.running[0]?.at.events.map(({ event }) => event.reason)).toContain('ClusterOfAnotherOwner');
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
      const otherNamespace = uniqueNamespace('elsewhere');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: otherNamespace },
      });
      const identity = uniqueNamespace('cluster');
      await cluster.client.create(resources.bindableResourcesRequests, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { namespace: otherNamespace, name: 'acme' },
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
          patch: {
            metadata: { annotations: { 'hawser.dev/onboarding-namespaces': `${otherNamespace},${namespace}` } },
          },
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
        expect.stringContaining('You have 1 cluster here, and may have 1'),
      ]);
      expect((await bind(jane, first)).status).toBe(200);
    });

    it('holds a person to their quotas who asks for several clusters, or bindings, at the same moment', async () => {
      await start({ clustersPerPerson: 2, bindingsPerPerson: 2 });
      const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<readonly number[]> =>
        (await Promise.all(answers)).map(({ status }) => status).sort((a, b) => a - b);
      const jane = await signIn();
      const several = Array.from({ length: 5 }, () => bind(jane, uniqueNamespace('cluster')));
      expect(await statusesOf(several)).toEqual([200, 200, 403, 403, 403]);
      const claire = await asClaire();
      const identity = uniqueNamespace('cluster');
      const names = ['one', 'two', 'three', 'four'];
      expect(await statusesOf(names.map((name) => bundle(claire, identity, { name })))).toEqual([201, 201, 403, 403]);
    });

    it('holds a person to their quota who asks several replicas at the same moment, and waits for none that died', async () => {
      const second = `127.0.0.1:${await freePort()}`;
      const quota = { clustersPerPerson: 2 };
      await start(quota);
      await start({ ...quota, address: second });
      const asTerminal = { authorization: `Bearer ${await terminal()}` };
      const ask = (at: string): Promise<Answer> =>
        bind(new Browser(), uniqueNamespace('cluster'), 'databases', asTerminal, at);
      const turns = async (): Promise<readonly KubeObject[]> =>
        (await cluster.client.list(resources.leases, { namespace, labelSelector: 'hawser.dev/portal=turn' })).items;
      expect((await ask(url)).status).toBe(200);
      expect(await turns()).toEqual([]);
      const answers = await Promise.all([url, `http://${second}`, url, `http://${second}`].map(ask));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
      // As a replica leaves it that dies in a turn.
      const name = `portal-turn-${hashOf(identityOf({ issuer: idp.url, subject: 'jane' }))}`;
      const left = expiringLease({ namespace, name, purpose: 'turn', expires: Date.now() + 500 });
      await cluster.client.create(resources.leases, left);
      expect((await ask(`http://${second}`)).status).toBe(403);
      expect(await turns()).toEqual([]);
    });

    it('lets a person have as many bindings as their groups say, and those that they have again', async () => {
      await start({ bindingsPerPerson: 1, quotas: [{ group: 'many', bindings: 2 }] });
      const claire = await asClaire();
      const identity = uniqueNamespace('cluster');
      expect((await bundle(claire, identity, { name: 'one' })).status).toBe(201);
      const refused = await bundle(claire, identity, { name: 'two' });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('You have 1 binding here')]);
      expect((await bundle(claire, identity, { name: 'one' })).status).toBe(201);
      idp.person = { subject: 'claire', groups: ['many'] };
      const again = await signIn();
      expect((await bundle(again, identity, { name: 'two' })).status).toBe(201);
      expect((await bundle(again, uniqueNamespace('cluster'), { name: 'three' })).status).toBe(403);
    });

    it('counts what a terminal may bind and has not bound yet', async () => {
      await start({ bindingsPerPerson: 1 });
      idp.person = { subject: 'claire', groups: ['databases'] };
      const claire = await signIn();
      const identity = uniqueNamespace('cluster');
      expect((await bind(claire, identity, 'databases')).status).toBe(200);
      const refused = await bind(claire, identity, 'claiming');
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('You have 1 binding here')]);
      expect((await bind(claire, uniqueNamespace('cluster'), 'databases')).status).toBe(403);
      // The same again, as a terminal does that was cut off.
      expect((await bind(claire, identity, 'databases')).status).toBe(200);
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

    const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
    const codeOf = async (verifier: string): Promise<URL> => {
      const asked = {
        client_type: 'cli',
        redirect_url: 'http://127.0.0.1:39999/callback',
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      };
      const { location } = await new Browser().follow(authorize(asked), (at) => at.port === '39999');
      return new URL(location);
    };
    const redeem = (code: string, verifier: string) =>
      new Browser().request(`${url}/api/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ grant_type: 'authorization_code', code, code_verifier: verifier }),
      });

    it('signs a terminal in by a code that only the terminal can exchange, once, on whichever replica', async () => {
      // Not even where tokens may not be in a redirect.
      await start({ terminals: false });
      const second = await start({ address: '127.0.0.1:0' });
      const verifier = 'v'.repeat(43);
      const back = await codeOf(verifier);
      expect([...back.searchParams.keys()].sort()).toEqual(['code', 'session_id']);
      const code = back.searchParams.get('code') ?? '';
      expect(
        (await new Browser().request(`${url}/api/ping`, { headers: { authorization: `Bearer ${code}` } })).status,
      ).toBe(401);
      expect((await redeem(code, 'w'.repeat(43))).status).toBe(400);
      expect((await redeem(`${code.slice(0, -2)}xx`, verifier)).status).toBe(400);
      const ask = (base: string) =>
        new Browser().request(`${base}/api/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ grant_type: 'authorization_code', code, code_verifier: verifier }),
        });
      const answers = await Promise.all(
        [url, `http://${second.address ?? ''}`, url, `http://${second.address ?? ''}`].map(ask),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
      const got = answers.find(({ status }) => status === 200);
      const { access_token: token, expires_in: seconds } = JSON.parse(got?.text ?? '') as {
        readonly access_token: string;
        readonly expires_in: number;
      };
      expect(got?.headers.get('cache-control')).toBe('no-store');
      expect(seconds).toBeGreaterThan(3_000);
      const headers = { authorization: `Bearer ${token}` };
      expect((await new Browser().request(`${url}/api/ping`, { headers })).text).toBe('pong');
      // A sign-out of the terminal counts everywhere.
      expect((await new Browser().request(`${url}/api/logout`, { method: 'POST', headers })).status).toBe(200);
      expect((await new Browser().request(`${url}/api/ping`, { headers })).status).toBe(401);
    });

    it('takes no challenge that hides nothing, and no other way to prove it', async () => {
      await start();
      const asked = { client_type: 'cli', redirect_url: 'http://127.0.0.1:39999/', code_challenge: challengeOf('v') };
      expect((await new Browser().request(authorize(asked))).status).toBe(400);
      expect((await new Browser().request(authorize({ ...asked, code_challenge_method: 'plain' }))).status).toBe(400);
      const otherRedirect = { ...asked, code_challenge_method: 'S256', redirect_url: 'https://evil.example.com/' };
      expect((await new Browser().request(authorize(otherRedirect))).status).toBe(400);
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
          const second = lab.running.pop();
          await second?.at.stop();
          await replica(ports[1] ?? 0);
        }
      })();
      try {
        await Promise.all([...people, restarts]);
      } finally {
        await balancer.close();
      }
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
      const { status, text } = await bind(browser, identity, 'databases', { origin: url });
      expect([status, text]).toEqual([200, expect.stringContaining('kubeconfig')]);
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
      await lab.end();
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
