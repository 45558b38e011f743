import type { KubeObject } from '@hawser/client';
import { claimId, clusterNamespaceName, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { PortalOptions } from '../index.js';
import { Browser } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, claims, formTokenOf } from '../testing/lab.js';
import { openTerminal } from '../testing/terminal.js';

const [secretsClaim = ''] = claims.map(claimId);

describeWithControlPlane(
  'the pages of the portal',
  () => {
    let lab: Lab;
    let url: string;

    beforeAll(async () => {
      lab = await Lab.open();
      ({ url } = lab);
    });
    afterAll(() => lab.close());
    beforeEach(() => lab.begin());
    afterEach(() => lab.end());

    const start = (options: Partial<PortalOptions> = {}) => lab.start(options);
    const signIn = (browser?: Browser): Promise<Browser> => lab.signIn(browser);

    const awaiting = (consumer: string, redirect = 'http://127.0.0.1:39999/callback'): string =>
      `?${new URLSearchParams({ redirect_url: redirect, session_id: 'terminal', consumer_id: consumer }).toString()}`;
    const signInLinkOf = (page: string): string =>
      /href="(\/api\/authorize[^"]+)"/u.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
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
      await lab.cluster.client.patch(
        resources.apiServiceExportTemplates,
        { name: 'databases' },
        {
          type: 'merge',
          patch: {
            metadata: { annotations: { 'catalogue.hawser.dev/service-level': '<b>99 %</b>' } },
            spec: { description: '<img src=x onerror="alert(1)"> & more' },
          },
        },
      );
      const page = await browser.request(`${url}/templates/databases`);
      expect(page.text).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;> &amp; more');
      expect(page.text).toContain('service level</th><td>&lt;b>99 %&lt;/b></td>');
      expect(page.text).toContain('<code>spec.engine</code>');
      expect(page.text).not.toContain('<script');
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      const hidden = await browser.request(`${url}/templates/secret-project`);
      const missing = await browser.request(`${url}/templates/is-not-there`);
      expect([hidden.status, hidden.text.replaceAll('secret-project', 'is-not-there')]).toEqual([404, missing.text]);
      const found = await browser.request(`${url}/?q=${encodeURIComponent('nothing "like" <this>')}`);
      expect(found.text).toContain('No template matches.');
    });

    it('shows the icon of a template to those who may bind it, as a picture and as nothing else', async () => {
      await start();
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const annotate = (name: string, icon: string | null) =>
        lab.cluster.client.patch(
          resources.apiServiceExportTemplates,
          { name },
          { type: 'merge', patch: { metadata: { annotations: { 'catalogue.hawser.dev/icon': icon } } } },
        );
      await annotate('secret-project', `data:image/png;base64,${png}`);
      await annotate('databases', `data:image/png;base64,${png}`);
      const browser = await signIn();
      const icon = `${url}/templates/databases/icon`;
      for (const page of ['/', '/templates/databases'])
        expect((await browser.request(url + page)).text).toContain('src="/templates/databases/icon" alt ');
      expect((await browser.request(`${url}/templates/databases`)).text).not.toContain(png);
      const shown = await browser.request(icon);
      expect([shown.status, shown.headers.get('content-type'), shown.headers.get('x-content-type-options')]).toEqual([
        200,
        'image/png',
        'nosniff',
      ]);
      expect((await browser.request(`${url}/templates/secret-project/icon`)).status).toBe(404);
      expect((await new Browser().request(icon)).status).toBe(404);
      await annotate('databases', `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`);
      expect((await browser.request(`${url}/templates/databases`)).text).not.toContain('<img');
      expect((await browser.request(icon)).status).toBe(404);
    });

    it('binds for a person in a browser, who carries a code or a file to their cluster', async () => {
      await start();
      lab.idp.person = { subject: 'claire', groups: [] };
      const browser = await signIn();
      const page = await browser.request(`${url}/templates/claiming`);
      expect(page.text).toContain('secrets labelled app=database');
      expect(page.text).not.toContain('checked');
      const cluster = uniqueNamespace('cluster');
      const bound = await lab.send(browser, '/templates/claiming', {
        form_token: formTokenOf(page.text),
        name: 'db',
        cluster: ` ${cluster}\n`,
        cluster_name: 'Acme <b>',
        claim: secretsClaim,
      });
      expect([bound.status, bound.location, bound.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
      const code = /aria-label="Code">([\w-]{22})</u.exec(bound.text)?.[1] ?? '';
      expect(bound.text).toContain(`${url}/api/bundle | kubectl apply`);
      const file = await lab.send(browser, '/bundle', { form_token: formTokenOf(bound.text), code });
      expect([file.status, file.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="db.yaml"']);
      const [, secret, , binding] = parseAllDocuments(file.text).map((document) => document.toJS() as KubeObject);
      expect(secret).toMatchObject({ kind: 'Secret', metadata: { namespace: 'kube-bind' } });
      expect(binding).toMatchObject({
        kind: 'APIServiceBinding',
        metadata: { name: 'db', annotations: { 'hawser.dev/accepted-claims': secretsClaim } },
      });
      const again = await lab.send(browser, '/bundle', { form_token: formTokenOf(bound.text), code });
      expect([again.status, again.text.includes('has been used')]).toEqual([404, true]);
      const namespace = clusterNamespaceName('kube-bind-', cluster);
      expect(await lab.cluster.read(resources.apiServiceExportRequests, { namespace, name: 'db' })).toMatchObject({
        spec: { permissionClaims: claims },
      });
      // Another time the cluster is offered, by the name that it was given.
      expect((await browser.request(`${url}/templates/claiming`)).text).toContain(
        `<option value="${cluster}">Acme &lt;b></option>`,
      );
    });

    it('has what is bound reviewed in a pull request, and its credential brought by the code alone', async () => {
      await start();
      lab.idp.person = { subject: 'claire', groups: [] };
      const browser = await signIn();
      const page = await browser.request(`${url}/templates/claiming`);
      const bound = await lab.send(browser, '/templates/claiming', {
        form_token: formTokenOf(page.text),
        name: 'db',
        cluster: uniqueNamespace('cluster'),
        claim: secretsClaim,
      });
      const block = (label: string): string =>
        (new RegExp(`aria-label="${label}">([^<]*)<`, 'u').exec(bound.text)?.[1] ?? '').replaceAll('&quot;', '"');
      const code = block('Code');
      const manifest = parseAllDocuments(block('Manifest')).map((document) => document.toJS() as KubeObject);
      expect(manifest.map(({ kind }) => kind)).toEqual(['Namespace', 'ClusterRole', 'APIServiceBinding']);
      expect(block('Manifest')).not.toContain(code);
      expect(block('Description')).toContain('- read and write secrets labelled app=database');
      expect(block('Description')).not.toContain('configmaps');
      expect(block('Command for the credential')).toContain(`${url}/api/bundle/credential | kubectl apply`);
      const asText = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: code };
      const credential = await new Browser().request(`${url}/api/bundle/credential`, asText);
      const objects = parseAllDocuments(credential.text).map((document) => document.toJS() as KubeObject);
      expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'Secret']);
      // The Secret is the one that the reviewed binding names.
      expect(manifest[2]).toMatchObject({ spec: { kubeconfigSecretRef: { name: objects[1]?.metadata.name } } });
      expect((await new Browser().request(`${url}/api/bundle`, asText)).status).toBe(404);
    });

    it('binds nothing in a browser without a cluster, with claims that the template does not have, or for another person', async () => {
      await start();
      lab.idp.person = { subject: 'claire', groups: [] };
      const claire = await signIn();
      const token = formTokenOf((await claire.request(`${url}/templates/claiming`)).text);
      const cluster = uniqueNamespace('cluster');
      const whole = { form_token: token, name: 'db', cluster };
      const tries = [
        await lab.send(claire, '/templates/claiming', { ...whole, cluster: ' ' }),
        await lab.send(claire, '/templates/claiming', { ...whole, claim: '0'.repeat(32) }),
        await lab.send(claire, '/templates/claiming', { ...whole, claim: 'all' }),
        await lab.send(claire, '/templates/claiming', { ...whole, form_token: 'made-up' }),
        await lab.send(claire, '/templates/secret-project', whole),
        await lab.send(claire, '/templates/claiming', { ...whole, cluster: 'ui-identity' }),
        await lab.send(claire, '/bundle', { form_token: token, code: 'A'.repeat(22) }),
        await lab.send(new Browser(), '/bundle', { form_token: token, code: 'A'.repeat(22) }),
      ];
      expect(tries.map(({ status }) => status)).toEqual([400, 400, 400, 403, 404, 400, 404, 401]);
      const { namespace } = lab;
      expect((await lab.cluster.client.list(resources.bindableResourcesRequests, { namespace })).items).toEqual([]);
    });

    itInChromium(
      'lets a person bind in a real browser alone, without a fault of its pages, and leaves no code behind in it',
      async () => {
        await start();
        const icon = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
        await lab.cluster.client.patch(
          resources.apiServiceExportTemplates,
          { name: 'claiming' },
          { type: 'merge', patch: { metadata: { annotations: { 'catalogue.hawser.dev/icon': icon } } } },
        );
        lab.idp.person = { subject: 'claire', groups: [] };
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(url);
          await window.follow('main a.button');
          await window.follow('.card a[href$="claiming"]');
          const faults = [...(await window.faults())];
          const cluster = uniqueNamespace('cluster');
          await page.type('#cluster', cluster);
          await page.type('#cluster_name', 'Acme');
          await page.click('input[name="claim"]');
          await window.follow('form[action="/templates/claiming"] button');
          await page.click('summary');
          faults.push(...(await window.faults()));
          expect([faults, window.wrong]).toEqual([[], []]);
          const code = await page.$eval('.code', ({ textContent }) => textContent);
          expect(code).toMatch(/^[\w-]{22}$/u);
          const kept = await page.evaluate(
            `JSON.stringify([location.href, document.referrer, document.cookie, {...localStorage}, {...sessionStorage}])`,
          );
          expect(kept).not.toContain(code);
          const namespace = clusterNamespaceName('kube-bind-', cluster);
          const request = { namespace, name: 'claiming' };
          expect(await lab.cluster.read(resources.apiServiceExportRequests, request)).toBeDefined();
        } finally {
          await window.close();
        }
      },
      120_000,
    );

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
      const answer = await lab.send(browser, `/templates/databases${flow}`, {
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

    it('answers a terminal that asks for it with a code, so that no URL has a kubeconfig in it', async () => {
      await start({ terminals: false });
      const browser = await signIn(new Browser());
      const consumer = uniqueNamespace('cluster');
      const flow = `${awaiting(consumer)}&answer=code`;
      lab.idp.person = { subject: 'claire', groups: [] };
      const claire = await signIn(new Browser());
      const page = await claire.request(`${url}/templates/claiming${flow}`);
      const bound = await lab.send(claire, `/templates/claiming${flow}`, {
        form_token: formTokenOf(page.text),
        name: 'mine',
        claim: secretsClaim,
      });
      expect(bound.status).toBe(303);
      const to = new URL(bound.location);
      expect([to.origin, [...to.searchParams.keys()].sort()]).toEqual([
        'http://127.0.0.1:39999',
        ['bundle_code', 'session_id'],
      ]);
      const bundle = await new Browser().request(`${url}/api/bundle`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: to.searchParams.get('bundle_code') ?? '',
      });
      const objects = parseAllDocuments(bundle.text).map((one) => one.toJS() as KubeObject);
      expect(objects.find(({ kind }) => kind === 'APIServiceBinding')).toMatchObject({
        metadata: { name: 'mine', annotations: { 'hawser.dev/accepted-claims': secretsClaim } },
      });
      // Of another person, who may not bind it.
      expect((await browser.request(`${url}/templates/claiming${flow}`)).status).toBe(404);
    });

    itInChromium(
      'lets a person bind in a real browser, from kubectl bind to its answer, without a fault of its pages',
      async () => {
        await start();
        const terminal = await openTerminal();
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(`${url}/${awaiting(uniqueNamespace('cluster'), terminal.callback)}`);
          const faults = [...(await window.faults())];
          await window.follow('main a.button');
          faults.push(...(await window.faults()));
          await window.follow('.card a');
          faults.push(...(await window.faults()));
          await window.follow('main form button');
          expect([faults, window.wrong]).toEqual([[], []]);
          expect(terminal.answers.map(({ searchParams }) => searchParams.get('session_id'))).toEqual(['terminal']);
          await page.goto(url);
          await window.follow('.person button');
          expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('You are signed out');
          await page.goto(url);
          expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Sign in to Lab');
        } finally {
          await window.close();
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
        await lab.send(jane, path, { form_token: 'made-up', name: 'one' }),
        await lab.send(jane, path, { form_token: foreign, name: 'one' }),
        await lab.send(jane, path, { form_token: own, name: 'one' }, { origin: 'https://evil.example.com' }),
        await lab.send(new Browser(), path, { form_token: own, name: 'one' }),
        await lab.send(jane, '/sign-out', { form_token: foreign }),
        await lab.send(jane, path, { form_token: own, name: 'No Name' }),
        await lab.send(jane, `/templates/databases${awaiting('c', 'http://127.0.0.1.example.com/callback')}`, {
          form_token: own,
          name: 'one',
        }),
        await lab.send(jane, '/templates/databases', { form_token: own, name: 'one' }),
        await jane.request(`${url}/${awaiting('c', 'https://evil.example.com/callback')}`),
        await jane.request(`${url}/${awaiting('', 'http://127.0.0.1:39999/callback')}`),
      ];
      expect(tries.map(({ status, location }) => [status, location])).toEqual(
        [403, 403, 403, 401, 403, 400, 400, 400, 400, 400].map((status) => [status, '']),
      );
      const out = await lab.send(jane, '/sign-out', { form_token: own });
      expect([out.status, (await jane.request(`${url}/`)).text.includes('/api/authorize')]).toEqual([200, true]);
    });

    it('answers no terminal where that is switched off', async () => {
      await start({ terminals: false });
      const answer = await (await signIn()).request(`${url}/${awaiting('c')}`);
      expect([answer.status, answer.text.includes('switched off')]).toEqual([400, true]);
    });
  },
  { controllerManager: true },
);
