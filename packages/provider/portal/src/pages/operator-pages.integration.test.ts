import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, formTokenOf } from '../testing/lab.js';

interface Answer {
  readonly provider: { readonly version: string; readonly leader?: { readonly state: string } };
  readonly items: readonly {
    readonly namespace: string;
    readonly health: string;
    readonly owner: string;
    readonly approvals: readonly { readonly template: string }[];
    readonly heldSchemas: readonly string[];
  }[];
}

const seeing = { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['list'] };

describeWithControlPlane(
  'the pages of operators',
  () => {
    let lab: Lab;
    let url: string;

    beforeAll(async () => {
      lab = await Lab.open();
      ({ url } = lab);
      await lab.offer('guarded');
      await lab.offer('caches');
      await annotate('guarded', 'required');
      await lab.allow('olga', [
        seeing,
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates', 'apiserviceexports'],
          verbs: ['approve'],
        },
      ]);
      await lab.allow('otto', [seeing]);
    });
    afterAll(() => lab.close());
    beforeEach(async () => {
      await lab.begin();
      await lab.start();
    });
    afterEach(() => lab.end());

    const annotate = (template: string, approval: string) =>
      lab.cluster.client.patch(
        resources.apiServiceExportTemplates,
        { name: template },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approval': approval } } } },
      );
    const as = (subject: string, groups: readonly string[] = []): Promise<Browser> => {
      lab.idp.person = { subject, groups: [...groups] };
      return lab.signIn();
    };
    const consumers = async (browser: Browser): Promise<Answer['items']> =>
      (JSON.parse((await browser.request(`${url}/api/consumers`)).text) as Answer).items;
    const bound = async (template: string): Promise<string> => lab.bind(await as('jane', ['databases']), { template });
    const approve = (browser: Browser, namespace: string, token: string, template = 'guarded') =>
      lab.send(browser, `/consumers/${namespace}/approve`, { form_token: token, template });
    const tokenOf = async (browser: Browser, path = '/consumers'): Promise<string> =>
      formTokenOf((await browser.request(`${url}${path}`)).text);

    it('show all consumers, the worst first, and each with whose it is', async () => {
      const [good, silent, fresh] = [await bound('databases'), await bound('databases'), await bound('databases')];
      for (const namespace of [good, silent]) await lab.granted(namespace);
      await lab.connect(good, 'db');
      await lab.connect(silent, 'db', new Date(Date.now() - 3_600_000));
      const olga = await as('olga');
      await eventually(async () => {
        const own = (await consumers(olga)).filter(({ namespace }) => [good, silent, fresh].includes(namespace));
        expect(own.map(({ namespace, health, owner }) => [namespace, health, owner])).toEqual([
          [silent, 'silent', `${lab.idp.url}/jane`],
          [fresh, 'waits', `${lab.idp.url}/jane`],
          [good, 'works', `${lab.idp.url}/jane`],
        ]);
      });
      const page = await olga.request(`${url}/consumers`);
      expect(page.text.indexOf(`/consumers/${silent}`)).toBeLessThan(page.text.indexOf(`/consumers/${good}`));
      const one = await olga.request(`${url}/consumers/${silent}`);
      expect([one.status, one.text.includes('The konnector has stopped reporting')]).toEqual([200, true]);
      expect((await olga.request(`${url}/consumers/kube-system`)).status).toBe(404);
    });

    it('say who leads, which versions run, and what has not arrived for the longest time, to operators alone', async () => {
      await lab.end();
      const lease = { namespace: lab.namespace, name: 'hawser-provider' };
      await lab.start({ lease });
      const namespace = await bound('databases');
      await lab.granted(namespace);
      await lab.connect(namespace, 'db');
      const olga = await as('olga');
      const readConsumers = async (): Promise<Answer> =>
        JSON.parse((await olga.request(`${url}/api/consumers`)).text) as Answer;
      expect((await readConsumers()).provider).toMatchObject({ version: '1.2.3', leader: { state: 'none' } });
      const renewTime = new Date().toISOString().replace('Z', '000Z');
      const held = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: lease,
        spec: { holderIdentity: 'provider-<1>', leaseDurationSeconds: 3_600, renewTime },
      };
      await lab.cluster.client.create(resources.leases, held);
      expect((await readConsumers()).provider.leader?.state).toBe('leads');
      const since = '2026-01-02T03:04:05Z';
      await lab.cluster.client.patch(
        resources.apiServiceExports,
        { namespace, name: 'db' },
        {
          type: 'merge',
          patch: {
            status: {
              conditions: [{ type: 'Connected', status: 'False', reason: '<i>Late</i>', lastTransitionTime: since }],
            },
          },
        },
        { subresource: 'status' },
      );
      const { text } = await olga.request(`${url}/consumers`);
      expect(text).toContain('<code>provider-&lt;1></code> leads');
      expect(text).toContain(`<time datetime="${since}">`);
      expect(text).toContain('db: &lt;i>Late&lt;/i>');
      expect(text).toContain(' with v1.2.3');
      const jane = await as('jane', ['databases']);
      for (const path of ['/consumers', '/api/consumers', '/bindings', '/api/bindings', `/bindings/${namespace}/db`])
        expect((await jane.request(`${url}${path}`)).text).not.toContain('provider-');
    });

    it('have an operator approve what waits for it, once, with a line in the log and an Event', async () => {
      const namespace = await bound('guarded');
      const olga = await as('olga');
      await eventually(async () => {
        const own = (await consumers(olga)).find((one) => one.namespace === namespace);
        expect(own?.approvals).toEqual([{ binding: 'db', template: 'guarded' }]);
      });
      const token = await tokenOf(olga);
      const answer = await approve(olga, namespace, token);
      expect([answer.status, answer.location]).toEqual([303, `${url}/consumers`]);
      await lab.granted(namespace);
      expect(lab.running[0]?.at.events.map(({ event }) => event)).toContainEqual({
        type: 'Normal',
        reason: 'TemplateApproved',
        message: `${lab.idp.url}/olga has approved template guarded.`,
      });
      expect((await approve(olga, namespace, token)).status).toBe(409);
    });

    it('let a breaking schema through, or keep it away, as the operator has seen it and no other', async () => {
      const namespace = await bound('caches');
      await lab.granted(namespace);
      const crd = { name: 'caches.example.com' };
      const change = (engine: object) =>
        lab.cluster.client.patch(resources.customResourceDefinitions, crd, {
          type: 'json',
          operations: [
            {
              op: 'replace',
              path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/engine',
              value: engine,
            },
          ],
        });
      await change({ type: 'integer' });
      const olga = await as('olga');
      await eventually(async () => {
        const own = (await consumers(olga)).find((one) => one.namespace === namespace);
        expect(own?.heldSchemas).toEqual(['db']);
      });
      const page = await olga.request(`${url}/schemas`);
      const hash = /name="hash" value="([^"]+)"/u.exec(page.text)?.[1] ?? '';
      const fields = { form_token: formTokenOf(page.text), namespace, name: 'db' };
      const decide = (browser: Browser, word: string, of = hash) =>
        lab.send(browser, '/schemas', { ...fields, word, hash: of });
      expect((await decide(olga, 'approve', 'another')).status).toBe(409);
      const key = { namespace, name: 'db' };
      const annotationsOf = async () =>
        (await lab.cluster.read(resources.apiServiceExports, key))?.metadata.annotations;
      expect((await decide(olga, 'reject')).status).toBe(303);
      expect(await annotationsOf()).toMatchObject({ 'hawser.dev/schema-rejected': hash });
      await change({ type: 'boolean' });
      await eventually(async () => {
        const next = await olga.request(`${url}/schemas`);
        const newer = /name="hash" value="([^"]+)"/u.exec(next.text)?.[1];
        expect([newer === hash, newer === undefined]).toEqual([false, false]);
        expect((await decide(olga, 'approve', newer)).status).toBe(303);
      });
      await eventually(async () => {
        const schema = await lab.cluster.read(resources.boundSchemas, { namespace, name: 'caches.example.com' });
        expect(JSON.stringify(schema)).toContain('"engine":{"type":"boolean"}');
      });
    });

    it('are for those alone to whom RBAC gives them, and decide nothing for those who may only see', async () => {
      const namespace = await bound('guarded');
      const [jane, otto] = [await as('jane', ['databases']), await as('otto')];
      const [own, seen] = [await tokenOf(jane, '/'), await tokenOf(otto)];
      const answers = [
        await jane.request(`${url}/consumers`),
        await jane.request(`${url}/consumers/${namespace}`),
        await jane.request(`${url}/schemas`),
        await jane.request(`${url}/api/consumers`),
        await approve(jane, namespace, own),
        await approve(otto, namespace, seen),
        await lab.send(otto, '/schemas', { form_token: seen, namespace, name: 'db', hash: 'x', word: 'approve' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
      expect((await otto.request(`${url}/consumers`)).status).toBe(200);
      expect((await jane.request(`${url}/`)).text).not.toContain('href="/consumers"');
      const binding = await lab.cluster.read(resources.clusterBindings, { namespace, name: 'cluster' });
      expect(binding?.metadata.annotations).not.toHaveProperty('hawser.dev/approved-templates');
    });

    it('show the way of each object to those alone who may list its API, and nothing of what is in it', async () => {
      const namespace = await bound('databases');
      await lab.granted(namespace);
      await lab.copy(namespace, 'orders');
      await lab.cluster.client.patch(
        { group: 'example.com', version: 'v1', resource: 'databases' },
        { namespace: `${namespace}-default`, name: 'orders' },
        {
          type: 'merge',
          patch: {
            metadata: { annotations: { 'kube-bind.io/consumer-namespace': '<b>team</b>' } },
            spec: { engine: 'inside' },
          },
        },
      );
      await lab.allow('oana', [seeing, { apiGroups: ['example.com'], resources: ['databases'], verbs: ['list'] }]);
      const path = `${url}/consumers/${namespace}/db`;
      const oana = await (await as('oana')).request(path);
      expect([oana.status, oana.text.includes(`<code>${namespace}-default/orders</code>`)]).toEqual([200, true]);
      expect(oana.text).toContain('>&lt;b>team&lt;/b>/orders</a>');
      expect(oana.text).not.toContain('inside');
      const otto = await (await as('otto')).request(path);
      expect([otto.status, otto.text.includes('You need the verb list on databases.example.com')]).toEqual([200, true]);
      expect(otto.text).not.toContain('orders');
      const jane = await as('jane', ['databases']);
      expect((await jane.request(path)).status).toBe(403);
      expect((await (await as('oana')).request(`${url}/consumers/${namespace}/no-such`)).status).toBe(404);
    });

    it('tell the Events of a copy and of its binding, and none of another object, to those who may list Events', async () => {
      const [own, other] = [await bound('databases'), await bound('databases')];
      for (const namespace of [own, other]) {
        await lab.granted(namespace);
        await lab.copy(namespace, 'orders');
      }
      const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
      const uidIn = async (namespace: string): Promise<string> =>
        (await lab.cluster.read(databases, { namespace: `${namespace}-default`, name: 'orders' }))?.metadata.uid ?? '';
      const [uid, foreign] = [await uidIn(own), await uidIn(other)];
      const event = async (name: string, namespace: string, involvedObject: object, message: string): Promise<void> => {
        await lab.cluster.client.create(resources.events, {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { namespace, name },
          involvedObject: { apiVersion: 'example.com/v1', namespace, ...involvedObject },
          type: 'Warning',
          reason: 'DiskFull',
          message,
          count: 3,
          firstTimestamp: '2026-01-01T00:00:00Z',
          lastTimestamp: '2026-01-01T00:00:03Z',
          source: { component: 'database-operator' },
        } as never);
      };
      const copy = { kind: 'Database', name: 'orders' };
      await event('own', `${own}-default`, { ...copy, uid }, 'needs <b>more</b> space');
      await event('former', `${own}-default`, { ...copy, uid: 'another' }, 'of an object of the same name before');
      await event('nameless', `${own}-default`, copy, 'of whatever object');
      await event('foreign', `${other}-default`, { ...copy, uid: foreign }, 'of another consumer');
      await event('binding', own, { kind: 'APIServiceExport', name: 'db' }, 'about the binding');
      const mayList = [
        { apiGroups: ['example.com'], resources: ['databases'], verbs: ['list'] },
        { apiGroups: [''], resources: ['events'], verbs: ['list'] },
      ];
      await lab.allow('odile', [seeing, ...mayList]);
      await lab.allow('orla', [seeing, ...mayList.slice(0, 1)]);
      const path = `${url}/consumers/${own}/db`;
      const odile = await as('odile');
      expect((await odile.request(path)).text).toContain(`href="/consumers/${own}/db/${uid}"`);
      const page = await odile.request(`${path}/${uid}`);
      expect([page.status, page.text.includes(`<code>${own}-default/orders</code>`)]).toEqual([200, true]);
      expect(page.text).toContain('needs &lt;b>more&lt;/b> space');
      expect(page.text).toContain('database-operator');
      expect(page.text).toContain('about the binding');
      for (const text of ['of an object of the same name', 'of whatever object', 'of another consumer'])
        expect(page.text).not.toContain(text);
      const orla = await (await as('orla')).request(`${path}/${uid}`);
      expect([orla.status, orla.text.includes(`list on events in namespace ${own}-default`)]).toEqual([200, true]);
      expect(orla.text).not.toContain('DiskFull');
      expect((await odile.request(`${path}/${foreign}`)).status).toBe(404);
      expect((await odile.request(`${path}/no-such`)).status).toBe(404);
      expect((await (await as('otto')).request(`${path}/${uid}`)).status).toBe(404);
      expect((await (await as('jane', ['databases'])).request(`${path}/${uid}`)).status).toBe(403);
    });

    itInChromium(
      'have an operator approve in a real browser, without a fault of theirs',
      async () => {
        const namespace = await bound('guarded');
        lab.idp.person = { subject: 'olga', groups: [] };
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(url);
          await window.follow('main a.button');
          await window.follow('nav a[href="/consumers"]');
          const form = `form[action="/consumers/${namespace}/approve"]`;
          await eventually(async () => {
            await page.reload();
            expect(await page.$(form)).not.toBeNull();
          });
          const faults = [...(await window.faults())];
          await window.follow(`${form} button`);
          await lab.granted(namespace);
          await window.follow(`a[href="/consumers/${namespace}"]`);
          faults.push(...(await window.faults()));
          await window.follow(`a[href="/consumers/${namespace}/db"]`);
          faults.push(...(await window.faults()));
          await page.goto(`${url}/schemas`);
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
