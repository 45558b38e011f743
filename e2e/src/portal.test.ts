import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hawser/client';
import { databases, sampleCrd } from '@hawser/installation';
import { type BindingResourceResponse, clusterNamespaceName, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { eventually, freePort } from '@hawser/testenv';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import {
  type IdentityProvider,
  clientId,
  clientSecret,
  startIdentityProvider,
} from '../../packages/provider/portal/src/testing/identity-provider.js';
import { renderChart } from './chart.js';
import { LONG } from './copies.js';
import { type Program, startProgram } from './program.js';
import { refusedRequests } from './refused-requests.js';
import { root } from './root.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

const providerUser = 'system:serviceaccount:hawser:hawser-provider';
const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'role.yaml',
  'consumer-rights.yaml',
  'consumer-roles.yaml',
  'onboarding-rights.yaml',
  'portal.yaml',
  'admissionpolicy.yaml',
];

describeSystem(
  'people who sign in',
  () => ({ name: 'portal', resources: [databases] }),
  (system, it) => {
    let backend: Program;
    let idp: IdentityProvider;
    let url: string;

    beforeAll(async () => {
      const { provider, folder, watchdog } = system();
      if (provider.controlPlane === undefined) throw new Error('it needs clusters of its own');
      await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hawser' } });
      const values = {
        exportedResources: [{ group: databases.group, resource: databases.plural }],
        portal: { enabled: true, publicUrl: 'https://portal.example.com' },
      };
      await provider.apply(
        ...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace: 'hawser', values }),
      );
      const { kubeconfig } = await provider.controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
      const file = join(folder, 'provider.kubeconfig');
      writeFileSync(file, kubeconfig, { mode: 0o600 });
      url = `http://127.0.0.1:${await freePort()}`;
      idp = await startIdentityProvider([`${url}/api/callback`]);
      const args = [
        `--kubeconfig=${file}`,
        '--namespace-prefix=kube-bind-',
        `--external-address=${provider.podsConnection.server}`,
        '--request-namespaces=hawser',
        `--oidc-issuer-url=${idp.url}`,
        `--oidc-issuer-client-id=${clientId}`,
        `--oidc-callback-url=${url}/api/callback`,
      ];
      backend = await startProgram({
        name: 'backend',
        command: executables.backend,
        args,
        addressFlag: '--listen-address',
        address: new URL(url).host,
        env: { POD_NAME: 'backend', POD_NAMESPACE: 'hawser', OIDC_CLIENT_SECRET: clientSecret },
        folder,
        watchdog,
      });
      await eventually(async () => {
        expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
      }, LONG);
      await provider.apply(
        sampleCrd(databases),
        {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceExportTemplate',
          metadata: { name: 'databases' },
          spec: {
            scope: 'Namespaced',
            resources: [{ group: databases.group, resource: databases.plural, versions: ['v1'] }],
          },
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'may-bind' },
          rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['bind'] }],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'may-bind' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'databases' }],
        },
      );
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
