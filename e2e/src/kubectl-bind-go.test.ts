import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hawser/client';
import { databases, sampleCrd } from '@hawser/installation';
import { type APIServiceBinding, installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import { systemClock } from '@hawser/clock';
import { eventually, freePort } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it as jestIt } from '@jest/globals';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { LONG } from './copies.js';
import { type Program, startProgram } from './program.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

const program = process.env['HAWSER_GO_BACKEND'] ?? '';
const isThere = program !== '' && existsSync(program);

if (!isThere) jestIt.skip('kubectl bind at a Go backend: HAWSER_GO_BACKEND names no program', () => undefined);
else
  describeSystem(
    'kubectl bind at a Go backend',
    () => ({ name: 'kubectl-bind-go', resources: [databases] }),
    (system, it) => {
      let backend: Program;
      let url: string;

      beforeAll(async () => {
        const { provider, folder, watchdog } = system();
        const options = { clock: systemClock, signal: new AbortController().signal, timeoutMs: 60_000 };
        await installCRDs(provider.client, providerCRDs, options);
        const rights = { apiGroups: ['kube-bind.io'], resources: ['*'], verbs: ['bind'] };
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
            rules: [rights],
          },
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRoleBinding',
            metadata: { name: 'may-bind' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind' },
            subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-bind-embedded-user' }],
          },
        );
        url = `http://127.0.0.1:${await freePort()}`;
        backend = await startProgram({
          name: 'go-backend',
          command: program,
          args: [
            `--kubeconfig=${provider.kubeconfigFile}`,
            '--namespace-prefix=kube-bind-',
            `--external-address=${provider.connection.server}`,
            '--oidc-type=embedded',
            `--oidc-issuer-url=${url}/oidc`,
            `--oidc-callback-url=${url}/api/callback`,
            '--consumer-scope=namespaced',
          ],
          addressFlag: '--listen-address',
          address: new URL(url).host,
          folder,
          watchdog,
        });
        await eventually(async () => {
          expect((await new Browser().request(`${url}/api/exports`)).status).toBe(200);
        }, LONG);
      }, 240_000);
      afterAll(async () => {
        await backend.stop();
      }, 60_000);

      interface Output {
        readonly code: number | null;
        readonly out: string;
        readonly err: string;
      }
      const run = (args: readonly string[], visit?: (page: string) => Promise<unknown>): Promise<Output> =>
        new Promise((resolve, failed) => {
          const child = spawn(process.execPath, [executables.kubectlBind, ...args], {
            env: {
              PATH: process.env['PATH'] ?? '',
              HOME: system().folder,
              KUBECONFIG: system().consumer.kubeconfigFile,
            },
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          let [out, err, visited] = ['', '', false];
          child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
          child.stderr.on('data', (chunk: Buffer) => {
            err += chunk.toString();
            const page = /^ {2}(http\S+)$/mu.exec(err)?.[1];
            if (page === undefined || visited || visit === undefined) return;
            visited = true;
            visit(page).catch(failed);
          });
          child.once('close', (code) => {
            resolve({ code, out, err });
          });
        });
      const isBound = (name: string): Promise<unknown> =>
        eventually(async () => {
          const found = await system().consumer.find<APIServiceBinding>(resources.apiServiceBindings, { name });
          expect(found?.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
        }, LONG);

      it('signs in, lists templates and binds one, and is repeatable', async () => {
        await system().startKonnector();
        const login = await run(['login', url, '--skip-browser'], (page) => new Browser().follow(page));
        expect([login.code, login.err]).toEqual([0, expect.stringContaining('You are signed in')]);
        const file = JSON.parse(readFileSync(join(system().folder, '.kube-bind/config'), 'utf8')) as {
          readonly current: string;
        };
        expect(file.current).toBe(url);
        const templates = await run(['templates', '-o', 'name']);
        expect([templates.code, templates.out, templates.err]).toEqual([0, 'databases\n', '']);
        const bound = await run(['apiservice', 'mine', '--template-name', 'databases']);
        expect([bound.err, bound.out, bound.code]).toEqual([
          expect.anything(),
          expect.stringContaining('mine is bound and ready'),
          0,
        ]);
        await isBound('mine');
        const again = await run(['apiservice', 'mine', '--template-name', 'databases']);
        expect([again.code, again.out]).toEqual([0, expect.stringContaining('Everything is there already.')]);
        expect((await run(['unbind', 'mine'])).code).toBe(0);
      });

      it('takes the answer of its page, which is encoded otherwise than the plugin of Go reads it', async () => {
        const browser = new Browser();
        const bound = await run([url, '--skip-browser'], async (page) => {
          const { searchParams } = new URL(page);
          const given = (name: string): string => searchParams.get(name) ?? '';
          // What the scripts of the page do.
          const front = new URL('/api/authorize', url);
          front.searchParams.set('redirect_url', `${url}/`);
          front.searchParams.set('session_id', given('session_id'));
          front.searchParams.set('client_type', 'ui');
          await browser.follow(front.href);
          const answer = await browser.request(`${url}/api/bind?consumer_id=${given('consumer_id')}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              metadata: { name: 'paged' },
              spec: { templateRef: { name: 'databases' }, clusterIdentity: { identity: given('consumer_id') } },
            }),
          });
          const back = new URL(given('redirect_url'));
          back.searchParams.set('session_id', given('session_id'));
          back.searchParams.set('binding_response', Buffer.from(answer.text).toString('base64'));
          await browser.request(back.href);
        });
        expect([bound.err, bound.out, bound.code]).toEqual([
          expect.anything(),
          expect.stringContaining('paged is bound and ready'),
          0,
        ]);
        await isBound('paged');
        expect((await run(['unbind', 'paged'])).code).toBe(0);
      });

      it('says that a login has ended, and does not take a page for an answer', async () => {
        const asked = await run(['templates', '--server', 'http://127.0.0.1:1']);
        expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('there is no login')]);
        expect((await run(['logout'])).code).toBe(0);
        const client = createClient({ name: 'provider', connection: system().provider.connection });
        expect((await client.list(resources.clusterBindings)).items).toHaveLength(1);
        await client.close();
      });
    },
  );
