import type { KubeObject } from '@hawser/client';
import { type CustomResourceDefinition, type Secret, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, formTokenOf } from '../testing/lab.js';

interface Answer {
  readonly health: string;
  readonly steps: readonly { readonly id: string; readonly state: string; readonly reason?: string }[];
  readonly copies?: { readonly count: number };
}

describeWithControlPlane(
  'the pages of bindings',
  () => {
    let lab: Lab;
    let url: string;

    beforeAll(async () => {
      lab = await Lab.open();
      ({ url } = lab);
    });
    afterAll(() => lab.close());
    beforeEach(async () => {
      await lab.begin();
      await lab.start();
    });
    afterEach(() => lab.end());

    const bind = async (browser: Browser, { granted = true } = {}): Promise<string> => {
      const namespace = await lab.bind(browser);
      if (granted) await lab.granted(namespace);
      return namespace;
    };
    /** The chunks of the stream of a binding. */
    const follow = async (browser: Browser, namespace: string): Promise<AsyncGenerator<string>> => {
      const cookie = [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(`${url}/bindings/${namespace}/db/events`, { headers: { cookie } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      async function* chunks(): AsyncGenerator<string> {
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) yield chunk;
      }
      return chunks();
    };
    const read = async (browser: Browser, namespace: string, name = 'db'): Promise<Answer> =>
      JSON.parse((await browser.request(`${url}/api/bindings/${namespace}/${name}`)).text) as Answer;
    const statesOf = ({ steps }: Answer): Record<string, string> =>
      Object.fromEntries(steps.map(({ id, state }) => [id, state]));
    const act = (browser: Browser, namespace: string, token: string, action: string) =>
      lab.send(browser, `/clusters/${namespace}/credential`, { form_token: token, action, binding: 'db' });
    const annotationsOf = async (namespace: string): Promise<Readonly<Record<string, string>>> =>
      (await lab.cluster.read(resources.clusterBindings, { namespace, name: 'cluster' }))?.metadata.annotations ?? {};

    it('say how far a binding is, from the wish to the first object in step', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      expect(statesOf(await read(jane, namespace))).toEqual({
        asked: 'done',
        granted: 'done',
        inContact: 'current',
        installed: 'open',
        firstObject: 'open',
      });
      await lab.connect(namespace, 'db');
      const connected = await read(jane, namespace);
      expect([connected.health, statesOf(connected)['firstObject'], connected.copies?.count]).toEqual([
        'works',
        'current',
        0,
      ]);
      await lab.copy(namespace, 'orders');
      const whole = await read(jane, namespace);
      expect([whole.health, new Set(Object.values(statesOf(whole))), whole.copies?.count]).toEqual([
        'works',
        new Set(['done']),
        1,
      ]);
      const page = await jane.request(`${url}/bindings/${namespace}/db`);
      expect(page.text).toContain('The provider keeps 1 copy.');
    });

    it('say when the credential of a cluster ends, and nothing of it', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      const path = `/bindings/${namespace}/db`;
      expect((await jane.request(url + path)).text).toContain('does not expire');
      await lab.cluster.client.patch(
        resources.namespaces,
        { name: namespace },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/credential': 'Rotating' } } } },
      );
      await eventually(async () => {
        const { credentialExpires = '' } = JSON.parse((await jane.request(`${url}/api${path}`)).text) as {
          readonly credentialExpires?: string;
        };
        expect(Date.parse(credentialExpires)).toBeGreaterThan(Date.now());
        expect((await jane.request(url + path)).text).toContain(`expires <time datetime="${credentialExpires}"`);
        expect((await jane.request(`${url}/bindings`)).text).toContain(' · credential until <time');
      });
      const kubeconfig = (await lab.cluster.read<Secret>(resources.secrets, { namespace, name: 'kubeconfig' }))?.data;
      expect((await jane.request(url + path)).text).not.toContain(kubeconfig?.['kubeconfig'] ?? 'there is none');
    });

    it('follow a binding without being loaded again, and end when nothing more is waited for', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      await lab.connect(namespace, 'db');
      let text = '';
      for await (const chunk of await follow(jane, namespace)) {
        if (!text.includes('data: ') && chunk.includes('data: ')) await lab.copy(namespace, 'orders');
        text += chunk;
      }
      const [first, ...more] = text.split('\n\n').filter((one) => one.startsWith('data: '));
      expect(first).toContain('Create an object of databases.example.com');
      expect([more.length, more[0]?.includes('waits')]).toEqual([1, false]);
      expect(text.trimEnd().endsWith('event: end\ndata: settled')).toBe(true);
    });

    it('end with the portal, whoever follows a binding', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      const stream = await follow(jane, namespace);
      const { value } = (await stream.next()) as IteratorResult<string, undefined>;
      expect(value).toContain('retry');
      await lab.end();
      // Not when the stream has had its time: the portal has ended.
      await expect(jane.request(`${url}/healthz`)).rejects.toThrow();
    }, 20_000);

    it('never call a consumer well that is silent, or whose access or export is gone', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      await lab.connect(namespace, 'db', new Date(Date.now() - 3_600_000));
      const silent = await read(jane, namespace);
      expect([silent.health, silent.steps.find(({ state }) => state === 'stopped')?.reason]).toEqual([
        'silent',
        'HeartbeatTimeout',
      ]);
      await lab.connect(namespace, 'db');
      expect((await read(jane, namespace)).health).toBe('works');
      await lab.cluster.client.patch(
        resources.apiServiceExports,
        { namespace, name: 'db' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/withdrawn': 'not <paid>' } } } },
      );
      const page = await jane.request(`${url}/bindings/${namespace}/db`);
      expect((await read(jane, namespace)).health).toBe('stopped');
      expect(page.text).toContain('not &lt;paid>');
    });

    it('wait for an approval, and say that it is the turn of the provider', async () => {
      const approval = (value: string | null) =>
        lab.cluster.client.patch(
          resources.apiServiceExportTemplates,
          { name: 'databases' },
          { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approval': value } } } },
        );
      await approval('required');
      try {
        const jane = await lab.signIn();
        const namespace = await bind(jane, { granted: false });
        await eventually(async () => {
          const { health, steps } = await read(jane, namespace);
          expect([health, steps[1]]).toEqual([
            'waits',
            expect.objectContaining({ state: 'current', reason: 'ApprovalRequired', actor: 'provider' }),
          ]);
        });
        const list = await jane.request(`${url}/bindings`);
        expect(list.text).toContain(`/bindings/${namespace}/db`);
      } finally {
        await approval(null);
      }
    });

    it('have their owner replace, revoke and restore a credential, and nobody undo what an operator does', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      const token = formTokenOf((await jane.request(`${url}/bindings/${namespace}/db`)).text);
      const replaced = await act(jane, namespace, token, 'replace');
      expect([replaced.status, replaced.location]).toEqual([303, `${url}/bindings/${namespace}/db`]);
      expect(await annotationsOf(namespace)).toMatchObject({ 'hawser.dev/replace-credential': expect.any(String) });
      await act(jane, namespace, token, 'revoke');
      expect((await annotationsOf(namespace))['hawser.dev/revoke-credential']).toContain('by its owner');
      await eventually(async () => {
        expect(await lab.cluster.read(resources.serviceAccounts, { namespace, name: 'kube-binder' })).toBeUndefined();
      });
      const cluster = (JSON.parse((await jane.request(`${url}/api/bindings`)).text) as { items: { cluster: object }[] })
        .items[0]?.cluster as { readonly identity: string };
      const refusedBundle = await lab.send(jane, '/templates/databases', {
        form_token: token,
        name: 'db',
        cluster: cluster.identity,
      });
      expect([refusedBundle.status, refusedBundle.text.includes('revoked')]).toEqual([403, true]);
      const page = await jane.request(`${url}/bindings/${namespace}/db`);
      expect([page.text.includes('Give access again'), (await read(jane, namespace)).health]).toEqual([
        true,
        'stopped',
      ]);
      await act(jane, namespace, token, 'restore');
      expect(await annotationsOf(namespace)).not.toHaveProperty('hawser.dev/revoke-credential');
      await lab.cluster.client.patch(
        resources.namespaces,
        { name: namespace },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': 'abuse' } } } },
      );
      const refused = await act(jane, namespace, token, 'restore');
      expect([refused.status, refused.text.includes('Ask the administrator')]).toEqual([403, true]);
    });

    it('have programs of their owner replace a credential, and nobody else, nor another site', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      const post = (browser: Browser, headers: Record<string, string> = {}, action = 'replace') =>
        browser.request(`${url}/api/clusters/${namespace}/credential`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ action }),
        });
      expect((await post(jane, { origin: 'https://evil.example.com' })).status).toBe(403);
      expect((await post(new Browser())).status).toBe(401);
      lab.idp.person = { subject: 'claire', groups: [] };
      expect((await post(await lab.signIn())).status).toBe(404);
      expect((await post(jane, {}, 'delete')).status).toBe(400);
      expect(await annotationsOf(namespace)).not.toHaveProperty('hawser.dev/replace-credential');
      expect((await post(jane)).status).toBe(202);
      expect(await annotationsOf(namespace)).toMatchObject({ 'hawser.dev/replace-credential': expect.any(String) });
    });

    it('do not have an owner write over the word by which an operator has revoked their access', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      await lab.cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': 'abuse' } } } },
      );
      const token = formTokenOf((await jane.request(`${url}/bindings`)).text);
      const answers = [await act(jane, namespace, token, 'revoke'), await act(jane, namespace, token, 'restore')];
      expect(answers.map(({ status }) => status)).toEqual([409, 403]);
      expect(await annotationsOf(namespace)).toMatchObject({ 'hawser.dev/revoke-credential': 'abuse' });
    });

    it('count the copies of an API whose first version is served no more, and never call uncounted ones none', async () => {
      await lab.offer('queues');
      const jane = await lab.signIn();
      const namespace = await lab.bind(jane, { template: 'queues' });
      await lab.granted(namespace);
      await lab.copy(namespace, 'orders', 'queues');
      expect((await read(jane, namespace)).copies?.count).toBe(1);
      const crd = { name: 'queues.example.com' };
      const { spec } =
        (await lab.cluster.read<CustomResourceDefinition>(resources.customResourceDefinitions, crd)) ?? {};
      const [version] = spec?.versions ?? [];
      const versions = [
        { ...version, served: false },
        { ...version, name: 'v2', storage: false },
      ];
      await lab.cluster.client.patch(resources.customResourceDefinitions, crd, {
        type: 'merge',
        patch: { spec: { versions } },
      });
      await eventually(async () => {
        expect((await read(jane, namespace)).copies?.count).toBe(1);
      });
      // Of a group that the portal may not list.
      await lab.cluster.client.create(resources.customResourceDefinitions, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'queues.foreign.example.org' },
        spec: {
          group: 'foreign.example.org',
          scope: 'Namespaced',
          names: { ...spec?.names, categories: [] },
          versions: [{ ...version }],
        },
      } as KubeObject);
      await lab.cluster.client.create(resources.apiServiceExports, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExport',
        metadata: { namespace, name: 'foreign' },
        spec: {
          resources: [{ group: 'foreign.example.org', resource: 'queues', versions: ['v1'] }],
          informerScope: 'Cluster',
          isolation: 'Prefixed',
        },
      } as KubeObject);
      const page = await jane.request(`${url}/bindings/${namespace}/foreign`);
      expect([page.status, page.text.includes('not counted')]).toEqual([200, true]);
    });

    it('follow a binding no more once its owner has signed out', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      await lab.connect(namespace, 'db');
      const stream = await follow(jane, namespace);
      let text = '';
      while (!text.includes('data: ')) text += ((await stream.next()) as IteratorResult<string, undefined>).value ?? '';
      const headers = { origin: url };
      expect((await jane.request(`${url}/api/logout`, { method: 'POST', headers })).status).toBe(200);
      await lab.copy(namespace, 'orders');
      for await (const chunk of stream) text += chunk;
      expect(text).not.toContain('event: end');
    });

    it('know no names that are none', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      const names = ['.', '%2e', '..%2f..%2fclusterbindings%2fcluster', '%25zz', 'A'];
      for (const name of names)
        expect((await jane.request(`${url}/api/bindings/${namespace}/${name}`)).status).toBe(404);
      const broken = await jane.request(`${url}/api/bindings/${namespace}/%zz`);
      expect([broken.status, JSON.parse(broken.text)]).toEqual([400, expect.objectContaining({ kind: 'Error' })]);
    });

    it('are seen by the owner of a cluster and by nobody else, who may not act on it either', async () => {
      const jane = await lab.signIn();
      const namespace = await bind(jane);
      lab.idp.person = { subject: 'mallory', groups: ['databases'] };
      const mallory = await lab.signIn();
      const token = formTokenOf((await mallory.request(`${url}/bindings`)).text);
      const own = formTokenOf((await jane.request(`${url}/bindings`)).text);
      const path = `/bindings/${namespace}/db`;
      const answers = [
        await mallory.request(`${url}${path}`),
        await mallory.request(`${url}${path}/events`),
        await mallory.request(`${url}/api${path}`),
        await act(mallory, namespace, token, 'revoke'),
        await act(mallory, namespace, own, 'revoke'),
        await act(jane, namespace, token, 'revoke'),
        await act(new Browser(), namespace, own, 'revoke'),
        await act(jane, 'kube-system', own, 'revoke'),
        await jane.request(`${url}/bindings/${namespace}/other`),
        await new Browser().request(`${url}${path}/events`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 403, 403, 401, 404, 404, 401]);
      expect((await mallory.request(`${url}/bindings`)).text).not.toContain(namespace);
      expect(JSON.parse((await mallory.request(`${url}/api/bindings`)).text)).toMatchObject({ items: [] });
      expect(await annotationsOf(namespace)).not.toHaveProperty('hawser.dev/revoke-credential');
    });

    itInChromium(
      'show in a real browser the first object in step, without a fault of theirs',
      async () => {
        const jane = await lab.signIn();
        const namespace = await bind(jane);
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(`${url}/bindings`);
          await window.follow('main a.button');
          const faults = [...(await window.faults())];
          await window.follow(`a[href="/bindings/${namespace}/db"]`);
          faults.push(...(await window.faults()));
          await lab.connect(namespace, 'db');
          await page.waitForSelector('.steps li:nth-child(4).done');
          await lab.copy(namespace, 'orders');
          await page.waitForSelector('.steps li:nth-child(5).done');
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
