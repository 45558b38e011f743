import { get } from 'node:http';
import type { KubeObject } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { createPortal } from '@hawser/portal';
import { systemClock } from '@hawser/clock';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { describeWithControlPlane, freePort, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Browser } from '../../portal/src/testing/browser.js';
import { itInChromium, openWindow } from '../../portal/src/testing/chromium.js';
import { rights } from '../../portal/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { type TrialIssuer, startTrialIssuer } from './index.js';

describeWithControlPlane('the trial identity provider', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let issuer: TrialIssuer;
  let url: string;
  const warnings: (readonly [string, unknown])[] = [];
  const log: Logger = { ...silentLogger, warn: (message, fields) => void warnings.push([message, fields]) };

  beforeAll(async () => {
    cluster = await openProviderCluster([...rights]);
    const namespace = uniqueNamespace('portal');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    for (const name of ['databases', 'machines'])
      await cluster.client.create(resources.apiServiceExportTemplates, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExportTemplate',
        metadata: { name },
        spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: name, versions: ['v1'] }] },
      } as KubeObject);
    await mayBind('engineering', 'databases');
    await mayBind('devops', 'machines');
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    issuer = await startTrialIssuer({
      url: 'http://127.0.0.1:0',
      callbackUrl: `${url}/api/callback`,
      clock: systemClock,
      log,
    });
    const { clientId, clientSecret } = issuer;
    running = await cluster.run(
      createPortal({
        address: `127.0.0.1:${port}`,
        publicUrl: url,
        issuer: { url: issuer.url, clientId, clientSecret },
        prettyName: 'Lab',
        version: '1.2.3',
        namespace,
        requestsPerMinute: 100_000,
      }),
    );
  });
  afterAll(async () => {
    await running.stop();
    await issuer.close();
    await cluster.close();
  });

  const mayBind = async (group: string, template: string): Promise<void> => {
    const metadata = { name: `may-bind-${template}` };
    await cluster.client.create(resources.clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates'],
          resourceNames: [template],
          verbs: ['bind'],
        },
      ],
    } as KubeObject);
    await cluster.client.create(resources.clusterRoleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
    } as KubeObject);
  };
  const statusAt = (page: string, host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(page, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  const signInUrl = (): string =>
    `${url}/api/authorize?${new URLSearchParams({ redirect_url: `${url}/`, session_id: 'mine', client_type: 'ui' }).toString()}`;
  const begin = (browser: Browser): Promise<{ readonly url: string; readonly text: string }> =>
    browser.follow(signInUrl());
  const choose = (browser: Browser, page: string, person: string, headers: Record<string, string> = {}) =>
    browser.request(page, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ person }).toString(),
    });

  it.each([
    ['ada', 'Ada', 'databases', 'machines'],
    ['grace', 'Grace', 'machines', 'databases'],
  ])('signs %s in by one click, with the rights of the own group', async (person, name, theirs, hidden) => {
    const browser = new Browser();
    const page = await begin(browser);
    expect(page.url).toContain(issuer.url);
    expect(page.text).toContain(`Sign in as ${name}`);
    const chosen = await choose(browser, page.url, person, { origin: issuer.url });
    const catalogue = await browser.follow(chosen.location);
    expect([catalogue.status, new URL(catalogue.url).origin]).toEqual([200, url]);
    expect(catalogue.text).toContain(`<span>${name}</span>`);
    expect([catalogue.text.includes(`/templates/${theirs}`), catalogue.text.includes(`/templates/${hidden}`)]).toEqual([
      true,
      false,
    ]);
    // Whoever signs in again in the same browser is asked again.
    expect((await begin(browser)).text).toContain('Who are you?');
  });

  it('signs one person in after the other in the same browser', async () => {
    const browser = new Browser();
    for (const [person, name] of [
      ['ada', 'Ada'],
      ['grace', 'Grace'],
      ['ada', 'Ada'],
    ] as const) {
      const page = await begin(browser);
      const chosen = await choose(browser, page.url, person, { origin: issuer.url });
      const catalogue = await browser.follow(chosen.location);
      expect(catalogue.text).toContain(`<span>${name}</span>`);
    }
  });

  it('says that it is for trying out, in the log and on its page, which runs no script', async () => {
    expect(warnings[0]).toEqual([
      expect.stringContaining('without a password'),
      expect.objectContaining({ url: issuer.url, people: 'ada (engineering), grace (devops)' }),
    ]);
    const browser = new Browser();
    const page = await browser.request((await begin(browser)).url);
    expect(page.text).toContain('without a password');
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'self'; form-action 'self' ${url}; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect((await browser.request(`${issuer.url}/assets/trial.css`)).headers.get('content-type')).toContain('text/css');
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'answers nothing that came through a proxy, as %s says',
    async (header) => {
      const answer = await new Browser().request(`${issuer.url}/.well-known/openid-configuration`, {
        headers: { [header]: '10.0.0.1' },
      });
      expect([answer.status, answer.text.includes('a proxy sent this request')]).toEqual([403, true]);
    },
  );

  it('answers no other name than its own, and takes no form of another site or browser', async () => {
    const browser = new Browser();
    const { url: page } = await begin(browser);
    expect(await statusAt(page, 'evil.example.com')).toBe(403);
    const answers = [
      await choose(browser, page, 'ada', { origin: 'https://evil.example.com' }),
      await choose(browser, page, 'ada', { origin: 'null' }),
      await choose(new Browser(), page, 'ada'),
      await choose(browser, page, 'eve'),
      await choose(browser, page, 'a'.repeat(2_000)),
      await browser.request(page, { method: 'DELETE' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 404, 400, 400, 405]);
    expect(answers.every(({ location }) => location === '')).toBe(true);
  });

  it('gives a code to no address but that of its portal', async () => {
    const browser = new Browser();
    const begun = new URL((await browser.request(signInUrl())).location);
    begun.searchParams.set('redirect_uri', 'https://evil.example.com/<b>');
    const answer = await browser.request(begun.href);
    expect([answer.status, answer.location, answer.text.includes('<b>')]).toEqual([400, '', false]);
    expect(answer.text).toContain('Start again at the portal.');
  });

  it.each([
    ['http://0.0.0.0:0', 'http://127.0.0.1:1/api/callback'],
    ['http://127.0.0.1:0', 'https://portal.example.com/api/callback'],
    ['https://127.0.0.1:0', 'http://127.0.0.1:1/api/callback'],
  ])('is not started at %s for %s', async (at, callbackUrl) => {
    await expect(startTrialIssuer({ url: at, callbackUrl, clock: systemClock, log: silentLogger })).rejects.toThrow(
      RangeError,
    );
  });

  itInChromium(
    'signs a person in in a real browser, without a fault of its page',
    async () => {
      const window = await openWindow();
      try {
        const { page } = window;
        await page.goto(url);
        await window.follow('main a.button');
        expect([await window.faults(), window.wrong]).toEqual([[], []]);
        await window.follow('main form button');
        expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('What you can bind');
      } finally {
        await window.close();
      }
    },
    120_000,
  );
});
