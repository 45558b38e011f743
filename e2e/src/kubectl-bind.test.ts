import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { KubeObject, Resource } from '@hawser/client';
import { databases } from '@hawser/installation';
import {
  type APIServiceBinding,
  type BindingResourceResponse,
  type PermissionClaim,
  type Secret,
  claimId,
  fixedNames,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it as jestIt } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { formTokenOf } from '../../packages/provider/portal/src/testing/lab.js';
import { LONG } from './copies.js';
import { type RunningPortal, startPortal } from './portal-system.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

const settings: PermissionClaim = { group: '', resource: 'configmaps', selector: { labelSelector: {} } };
const secrets: PermissionClaim = {
  group: '',
  resource: 'secrets',
  selector: { labelSelector: { matchLabels: { app: 'database' } } },
};

const GATHERED = 'rbac.hawser.dev/aggregate-to-konnector=true';

interface Output {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A run of the plugin. */
interface Running {
  /** The page that it has printed. */
  page(): Promise<string>;
  readonly ended: Promise<Output>;
}

describeSystem(
  'kubectl bind',
  () => ({ name: 'kubectl-bind', resources: [databases] }),
  (system, it) => {
    let portal: RunningPortal;
    const children: ChildProcess[] = [];
    const file = (name: string): string => join(system().folder, name);

    beforeAll(async () => {
      portal = await startPortal(system(), [settings, secrets]);
    }, 240_000);
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL');
      await portal.backend.stop();
      await portal.idp.close();
    }, 60_000);

    const start = (...args: readonly string[]): Running =>
      startProgram(process.execPath, [executables.kubectlBind, ...args]);
    const startProgram = (command: string, args: readonly string[]): Running => {
      const child = spawn(command, args, {
        env: { PATH: process.env['PATH'] ?? '', HOME: system().folder, KUBECONFIG: system().consumer.kubeconfigFile },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      return {
        page: () =>
          eventually(() => {
            const page = /^\s*(http:\/\/\S+[?]\S+)$/mu.exec(err)?.[1];
            expect([page, err]).not.toEqual([undefined, err]);
            return page ?? '';
          }, LONG),
        ended: new Promise((resolve) => {
          child.once('close', (code) => {
            resolve({ code, out, err });
          });
        }),
      };
    };
    const run = (...args: readonly string[]): Promise<Output> => start(...args).ended;
    /** What a person does in a browser, and all addresses that it has come by. */
    const signIn = async (page: string): Promise<readonly string[]> => {
      const browser = new Browser();
      const seen: string[] = [];
      await browser.follow(page, (url) => {
        seen.push(url.href);
        return false;
      });
      return seen;
    };
    const login = async (): Promise<Output & { readonly seen: readonly string[] }> => {
      const running = start('login', portal.url, '--skip-browser');
      const seen = await signIn(await running.page());
      return { ...(await running.ended), seen };
    };
    const onConsumer = <T extends KubeObject>(resource: Resource, name: string): Promise<T | undefined> =>
      system().consumer.find<T>(resource, { name });
    const bindingOf = (name: string): Promise<APIServiceBinding | undefined> =>
      onConsumer<APIServiceBinding>(resources.apiServiceBindings, name);
    const serverFile = (): string => file('.kube-bind/config');

    it('signs in with a token that is in no address and no output, and keeps it for its owner alone', async () => {
      const { code, out, err, seen } = await login();
      expect([code, out]).toEqual([0, '']);
      expect(err).toContain(`You are signed in at`);
      expect(statSync(serverFile()).mode & 0o777).toBe(0o600);
      const { servers, current } = JSON.parse(readFileSync(serverFile(), 'utf8')) as {
        readonly servers: Readonly<Record<string, { readonly accessToken: string }>>;
        readonly current: string;
      };
      expect(current).toBe(portal.url);
      const token = servers[portal.url]?.accessToken ?? '';
      expect(token.length).toBeGreaterThan(100);
      expect(seen.some((address) => address.includes('/callback/'))).toBe(true);
      for (const text of [...seen, out, err, portal.backend.log()]) expect(text).not.toContain(token);
    });

    it('lists what may be bound, and previews a binding without a write on either side', async () => {
      const listed = await run('templates');
      expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(`databases.${databases.group}`)]);
      const bind = ['apiservice', 'mine', '--template-name', 'databases', '--dry-run'];
      const preview = await run(...bind);
      expect([preview.code, preview.out]).toEqual([0, expect.stringContaining('create APIServiceBinding mine')]);
      expect(preview.out).toContain('all configmaps');
      const files = await run(...bind, '-o', 'yaml');
      const kinds = parseAllDocuments(files.out).map((one) => (one.toJS() as KubeObject).kind);
      expect(kinds).toEqual(
        expect.arrayContaining(['APIServiceExportRequest', 'Secret', 'ClusterRole', 'APIServiceBinding']),
      );
      const { consumer, provider } = system();
      expect(await onConsumer(resources.namespaces, fixedNames.konnectorNamespace)).toBeDefined();
      expect(
        (await consumer.client.list(resources.secrets, { namespace: fixedNames.konnectorNamespace })).items,
      ).toEqual([]);
      expect((await provider.client.list(resources.clusterBindings)).items).toEqual([]);
      const missing = await run('apiservice', 'mine', '--template-name', 'elsewhere');
      expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is: databases.')]);
      expect((await provider.client.list(resources.clusterBindings)).items).toEqual([]);
    });

    it('binds from the terminal, with what the konnector needs for it, and is repeatable', async () => {
      await system().startKonnector();
      const bound = await run('apiservice', 'mine', '--template-name', 'databases', '--wait=false');
      expect([bound.code, bound.out]).toEqual([0, expect.stringContaining('mine is bound')]);
      expect(bound.out).toContain('With it you agree that the provider');
      await mayUse('mine');
      await becomesReady('mine');
      const again = await run('apiservice', 'mine', '--template-name', 'databases');
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('Everything is there already.')]);
      const list = await run('list', '-o', 'json');
      expect([list.code, JSON.parse(list.out)]).toEqual([
        0,
        expect.objectContaining({ bindings: [expect.objectContaining({ name: 'mine', standing: 'inStep' })] }),
      ]);
    });

    const mayUse = (binding: string): Promise<unknown> =>
      // What the chart's aggregated ClusterRole comes to.
      system().consumer.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: `test-${binding}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `hawser-bound-${binding}` },
        subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: fixedNames.konnectorNamespace }],
      });
    const becomesReady = (name: string): Promise<unknown> =>
      eventually(async () => {
        const { status } = (await bindingOf(name)) ?? {};
        expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
      }, LONG);

    it('has the provider replace the credential, which arrives', async () => {
      const ref = (await bindingOf('mine'))?.spec?.kubeconfigSecretRef;
      const data = async (): Promise<unknown> => {
        const key = { namespace: ref?.namespace ?? '', name: ref?.name ?? '' };
        return (await system().consumer.client.get<Secret>(resources.secrets, key)).data;
      };
      const before = await data();
      const rotated = await run('rotate', 'mine');
      expect([rotated.err, rotated.code, rotated.out]).toEqual(['', 0, expect.stringContaining('is a new one')]);
      expect(await data()).not.toEqual(before);
      await becomesReady('mine');
      const other = await run('rotate', 'elsewhere');
      expect([other.code, other.err]).toEqual([2, expect.stringContaining('no APIServiceBinding elsewhere')]);
    });

    it('lets go of a binding, with the rights that the konnector had for it', async () => {
      expect(await onConsumer(resources.clusterRoles, 'hawser-bound-mine')).toBeDefined();
      const gone = await run('unbind', 'mine');
      expect([gone.code, gone.out]).toEqual([0, expect.stringContaining('mine is unbound.')]);
      expect(await bindingOf('mine')).toBeUndefined();
      expect(await onConsumer(resources.clusterRoles, 'hawser-bound-mine')).toBeUndefined();
    });

    it('binds from files, without a login, and stores a kubeconfig alone where nothing is asked for', async () => {
      const { servers } = JSON.parse(readFileSync(serverFile(), 'utf8')) as {
        readonly servers: Readonly<Record<string, { readonly accessToken: string }>>;
      };
      const identity = (await onConsumer(resources.namespaces, 'kube-system'))?.metadata.uid ?? '';
      const asked = await new Browser().request(`${portal.url}/api/bind`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${servers[portal.url]?.accessToken ?? ''}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          metadata: { name: 'filed' },
          spec: { templateRef: { name: 'databases' }, clusterIdentity: { identity } },
        }),
      });
      const answer = JSON.parse(asked.text) as BindingResourceResponse;
      const write = (name: string, text: string): string => {
        writeFileSync(file(name), text, { mode: 0o600 });
        return file(name);
      };
      const nowhere = ['--config-file', file('no-logins')];
      const alone = write('alone.json', JSON.stringify({ ...answer, requests: [] }));
      const connected = await run('deploy', '-f', alone, '--provider-kubeconfig-secret-name', 'alone');
      expect([connected.code, connected.out]).toEqual([0, expect.stringContaining('in Secret kube-bind/alone')]);
      const key = { namespace: fixedNames.konnectorNamespace, name: 'alone' };
      expect(await system().consumer.find(resources.secrets, key)).toMatchObject({
        metadata: { labels: { 'kube-bind.io/provider-kubeconfig': 'true' } },
      });
      const request = write('request.json', JSON.stringify(answer.requests[0]));
      const kubeconfig = write('handed-out.kubeconfig', Buffer.from(answer.kubeconfig, 'base64').toString());
      const args = ['apiservice', '-f', request, ...nowhere, '--wait=false'];
      const inOtherNamespace = await run(...args, '--remote-kubeconfig', kubeconfig, '--remote-namespace', 'another');
      expect([inOtherNamespace.code, inOtherNamespace.err]).toEqual([2, expect.stringContaining('--remote-namespace')]);
      const bound = await run(...args, '--remote-kubeconfig', kubeconfig);
      expect([bound.code, bound.out]).toEqual([0, expect.stringContaining('filed is bound')]);
      await mayUse('filed');
      await becomesReady('filed');
      const secret = ['--remote-kubeconfig-namespace', key.namespace, '--remote-kubeconfig-name', key.name];
      const again = await run(...args, ...secret);
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('Everything is there already.')]);
      const deployed = await run('deploy', '-f', write('response.json', asked.text), '--wait=false');
      expect([deployed.code, deployed.out]).toEqual([0, expect.stringContaining('Everything is there already.')]);
      expect((await run('unbind', 'filed')).code).toBe(0);
    });

    it('goes on with what was chosen on the pages, and agrees to what was accepted there and no more', async () => {
      const running = start(portal.url, '--skip-browser', '--wait=false');
      const page = new URL(await running.page());
      const browser = new Browser();
      const front = await browser.request(page.href);
      const link = /href="(\/api\/authorize[^"]+)"/u.exec(front.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      await browser.follow(`${portal.url}${link}`);
      const template = `${portal.url}/templates/databases${page.search}`;
      const shown = await browser.request(template);
      const bound = await browser.request(template, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: portal.url },
        body: new URLSearchParams({
          form_token: formTokenOf(shown.text),
          name: 'chosen',
          claim: claimId(settings),
        }).toString(),
      });
      expect([...new URL(bound.location).searchParams.keys()].sort()).toEqual(['bundle_code', 'session_id']);
      // Of somebody else on this machine.
      const forged = new URL(bound.location);
      forged.searchParams.set('session_id', 'another');
      expect((await browser.request(forged.href)).status).toBe(401);
      expect((await browser.request(bound.location)).text).toContain('Done.');
      const { code, out } = await running.ended;
      expect([code, out]).toEqual([0, expect.stringContaining('chosen is bound')]);
      expect((await bindingOf('chosen'))?.metadata.annotations).toMatchObject({
        'hawser.dev/accepted-claims': claimId(settings),
      });
      await mayUse('chosen');
      await becomesReady('chosen');
    });

    it('agrees to nothing that the template was not listed with, and grants the konnector nothing by it', async () => {
      const { consumer } = system();
      const power = { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', selector: {} };
      let lie: (answer: BindingResourceResponse) => BindingResourceResponse = (answer) => answer;
      const liar = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          void fetch(`${portal.url}${request.url ?? ''}`, {
            method: request.method ?? 'GET',
            headers: {
              authorization: request.headers.authorization ?? '',
              'content-type': request.headers['content-type'] ?? 'text/plain',
            },
            ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString() }),
          }).then(async (answer) => {
            const text = await answer.text();
            const isBinding = request.url?.startsWith('/api/bind') === true;
            response
              .writeHead(answer.status, { 'content-type': 'application/json' })
              .end(isBinding ? JSON.stringify(lie(JSON.parse(text) as BindingResourceResponse)) : text);
          });
        });
      });
      await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
      try {
        await login();
        const logins = JSON.parse(readFileSync(serverFile(), 'utf8')) as { servers: Record<string, object> };
        logins.servers[url] = { ...logins.servers[portal.url], url };
        writeFileSync(serverFile(), JSON.stringify(logins));
        const bind = (): Promise<Output> =>
          run('apiservice', 'lied', '--template-name', 'databases', '--server', url, '--wait=false');
        lie = (answer) => ({
          ...answer,
          requests: answer.requests.map((one) => ({
            ...one,
            spec: {
              ...one.spec,
              resources: [...one.spec.resources, { group: 'apps', resource: 'deployments', versions: ['v1'] }],
            },
          })),
        });
        const more = await bind();
        expect([more.code, more.err]).toEqual([1, expect.stringContaining('does not have: deployments.apps')]);
        expect(await bindingOf('lied')).toBeUndefined();
        lie = (answer) => ({
          ...answer,
          requests: answer.requests.map((one) => ({
            ...one,
            spec: { ...one.spec, permissionClaims: [...(one.spec.permissionClaims ?? []), power] },
          })),
        });
        await bind();
        expect(
          JSON.stringify(await consumer.client.list(resources.clusterRoles, { labelSelector: GATHERED })),
        ).not.toContain('clusterrolebindings');
        expect((await bindingOf('lied'))?.metadata.annotations?.['hawser.dev/accepted-claims'] ?? '').not.toContain(
          claimId(power),
        );
      } finally {
        liar.closeAllConnections();
        liar.close();
      }
    });

    it('signs out everywhere', async () => {
      await login();
      const before = readFileSync(serverFile(), 'utf8');
      const out = await run('logout');
      expect([out.code, out.err]).toEqual([0, expect.stringContaining('is forgotten')]);
      const without = await run('templates');
      expect([without.code, without.err]).toEqual([2, expect.stringContaining('log in first')]);
      writeFileSync(serverFile(), before);
      const ended = await run('templates');
      expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('Log in again: kubectl bind login')]);
    });

    it('says who this cluster is, and that nothing was chosen in time', async () => {
      const identity = await run('cluster-identity');
      const kubeSystem = await onConsumer(resources.namespaces, 'kube-system');
      expect([identity.code, identity.out.trim()]).toEqual([0, kubeSystem?.metadata.uid]);
      const late = await run('login', portal.url, '--skip-browser', '--timeout', '100ms');
      expect([late.code, late.err]).toEqual([1, expect.stringContaining('Nobody has signed in in time')]);
      const nowhere = await run('login', 'http://127.0.0.1:9');
      expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('cannot be reached')]);
    });

    const go = process.env['HAWSER_GO_KUBECTL_BIND'] ?? '';
    if (go === '')
      jestIt.skip('the plugin of Go at our portal: HAWSER_GO_KUBECTL_BIND names no program', () => undefined);
    else
      it('serves the plugin of Go', async () => {
        const plugin = (...args: readonly string[]): Running => startProgram(go, args);
        const config = ['--config-file', file('go-config')];
        const running = plugin('login', portal.url, '--skip-browser', ...config);
        await new Browser().follow(await running.page());
        const login = await running.ended;
        expect([login.code, login.err]).toEqual([0, expect.anything()]);
        const listed = await plugin('templates', ...config).ended;
        expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('databases')]);
        const args = ['apiservice', '--template-name', 'databases', 'by-go', '--skip-konnector', '--no-banner'];
        const bound = await plugin(...args, ...config).ended;
        expect([bound.err, bound.code]).toEqual([expect.anything(), 0]);
        expect(await bindingOf('by-go')).toBeDefined();
        // One file for both.
        const ours = await run('templates', '-o', 'name', ...config);
        expect([ours.code, ours.out]).toEqual([0, 'databases\n']);
      });
  },
);
