import { type KubeObject, createClient } from '@hawser/client';
import { databases } from '@hawser/installation';
import { type BindingResourceResponse, clusterNamespaceName, fixedNames, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import type { IdentityProvider } from '../../packages/provider/portal/src/testing/identity-provider.js';
import { LONG } from './copies.js';
import { providerUser, startPortal } from './portal-system.js';
import type { Program } from './program.js';
import { refusedRequests } from './refused-requests.js';
import { describeSystem } from './suite.js';

interface BindingAnswer {
  readonly health: string;
  readonly steps: readonly { readonly state: string }[];
  readonly copies: { readonly count: number };
}

describeSystem(
  'people who sign in',
  () => ({ name: 'portal' }),
  (system, it) => {
    let backend: Program;
    let idp: IdentityProvider;
    let url: string;

    beforeAll(async () => {
      ({ backend, idp, url } = await startPortal(system()));
    }, 240_000);
    afterAll(async () => {
      await backend.stop();
      await idp.close();
    }, 60_000);

    it('shows what a person may bind in a browser, and answers kubectl bind once they agree', async () => {
      const browser = new Browser();
      const flow = new URLSearchParams({
        redirect_url: 'http://127.0.0.1:9/callback',
        session_id: 'S',
        consumer_id: 'a-cluster-of-a-browser',
      }).toString();
      const front = await browser.request(`${url}/?${flow}`);
      const link = /href="(\/api\/authorize[^"]+)"/u.exec(front.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const catalogue = await browser.follow(`${url}${link}`);
      expect([catalogue.status, catalogue.text.includes('/templates/databases')]).toEqual([200, true]);
      const page = await browser.request(`${url}/templates/databases?${flow}`);
      const formToken = /name="form_token" value="([^"]+)"/u.exec(page.text)?.[1] ?? '';
      const answer = await browser.request(`${url}/templates/databases?${flow}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url },
        body: new URLSearchParams({ form_token: formToken, name: 'databases' }).toString(),
      });
      const text = new URL(answer.location).searchParams.get('binding_response') ?? '';
      const { kubeconfig } = JSON.parse(Buffer.from(text, 'base64url').toString()) as BindingResourceResponse;
      expect(parseSecretKubeconfig(Buffer.from(kubeconfig, 'base64')).ok).toBe(true);
      expect((await browser.request(`${url}/assets/portal.css`)).status).toBe(200);
    });

    /** As `kubectl bind login` does. */
    const login = async (): Promise<string> => {
      const query = new URLSearchParams({
        client_type: 'cli',
        redirect_url: 'http://127.0.0.1:9/callback',
        session_id: 'S',
      });
      const { location } = await new Browser().follow(
        `${url}/api/authorize?${query.toString()}`,
        ({ port }) => port === '9',
      );
      return new URL(location).searchParams.get('access_token') ?? '';
    };
    const ask = (token: string, path: string, body?: object): Promise<{ status: number; text: string }> =>
      new Browser().request(url + path, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });

    it('see what they may bind, and get a kubeconfig of their cluster that works', async () => {
      const token = await login();
      expect(JSON.parse((await ask(token, '/api/templates')).text)).toMatchObject({
        items: [{ metadata: { name: 'databases' } }],
      });
      const answer = await ask(token, '/api/bind', {
        metadata: { name: 'databases' },
        spec: { templateRef: { name: 'databases' }, clusterIdentity: { identity: 'uid-of-kube-system' } },
      });
      expect([answer.status, answer.text.slice(0, 30)]).toEqual([200, expect.stringContaining('BindingResponse')]);
      const { kubeconfig, providerNamespace } = JSON.parse(answer.text) as BindingResourceResponse;
      expect(providerNamespace).toBe(clusterNamespaceName('kube-bind-', 'uid-of-kube-system'));
      const read = parseSecretKubeconfig(Buffer.from(kubeconfig, 'base64'));
      if (!read.ok) throw new Error('no kubeconfig');
      const client = createClient({ name: 'provider', connection: read.connection });
      await eventually(async () => {
        await client.list(resources.apiServiceExports, { namespace: providerNamespace });
      }, LONG);
      await client.close();
    });

    it('bind with a bundle, which they get once', async () => {
      const made = await ask(await login(), '/api/bundles', {
        metadata: { name: 'bundled' },
        spec: {
          templateRef: { name: 'databases' },
          clusterIdentity: { identity: 'uid-of-kube-system' },
          acceptedClaims: [],
        },
      });
      expect([made.status, made.text]).toEqual([201, expect.stringContaining('kubectl apply')]);
      const { code, providerNamespace } = JSON.parse(made.text) as { code: string; providerNamespace: string };
      await eventually(async () => {
        const key = { namespace: providerNamespace, name: 'bundled' };
        expect(await system().provider.client.get(resources.apiServiceExports, key)).toBeDefined();
      }, LONG);
      const exchange = (): Promise<{ status: number; text: string }> =>
        new Browser().request(`${url}/api/bundle`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: code,
        });
      const bundle = await exchange();
      expect([bundle.status, bundle.text]).toEqual([200, expect.stringContaining('kind: APIServiceBinding')]);
      expect((await exchange()).status).toBe(404);
      expect(backend.log()).toContain('handed out a bundle');
      expect(backend.log()).not.toContain(code);
      await system().startKonnector();
      const { consumer } = system();
      await consumer.apply(...parseAllDocuments(bundle.text).map((one) => one.toJS() as KubeObject));
      // What the chart's aggregated ClusterRole comes to, which kube-controller-manager fills: the suite charts tries that.
      await consumer.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'bundled' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hawser-bound-bundled' },
        subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: fixedNames.konnectorNamespace }],
      });
      const readBinding = async (): Promise<BindingAnswer> =>
        JSON.parse((await ask(await login(), `/api/bindings/${providerNamespace}/bundled`)).text) as BindingAnswer;
      await eventually(async () => {
        expect((await readBinding()).health).toBe('works');
      }, LONG);
      await consumer.apply({
        apiVersion: `${databases.group}/v1`,
        kind: databases.kind,
        metadata: { namespace: 'default', name: 'orders' },
        spec: { engine: 'postgres' },
      });
      await eventually(async () => {
        const { steps, copies } = await readBinding();
        expect([steps.map(({ state }) => state), copies.count]).toEqual([['done', 'done', 'done', 'done', 'done'], 1]);
      }, LONG);
    });

    it('are shown to operators, who see all consumers and no more than they may', async () => {
      idp.person = { subject: 'olga', groups: [] };
      const olga = await login();
      expect((await ask(olga, '/api/consumers')).status).toBe(403);
      await system().provider.apply(
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'portal-operator' },
          rules: [{ apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['list'] }],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'portal-operator' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'portal-operator' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'olga' }],
        },
      );
      await eventually(async () => {
        const answer = await ask(olga, '/api/consumers');
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"health":"works"')]);
      }, LONG);
    });

    it('see nothing that they may not', async () => {
      idp.person = { subject: 'eve', groups: [] };
      const token = await login();
      expect(JSON.parse((await ask(token, '/api/templates')).text)).toMatchObject({ items: [] });
      const answer = await ask(token, '/api/bind', {
        metadata: { name: 'databases' },
        spec: { templateRef: { name: 'databases' }, clusterIdentity: { identity: 'uid-of-kube-system' } },
      });
      expect(answer.status).toBe(404);
    });

    it('are served with the rights that the chart gives, and leave no token in the log', async () => {
      expect(await refusedRequests(system().provider, providerUser)).toEqual([]);
      expect(backend.log()).toContain('handed out a kubeconfig');
      expect(backend.log()).not.toMatch(/access_token|code=|eyJ/u);
    });
  },
);
