import { type KubeObject, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createInlineExportControllers } from '@hawser/exportrequest';
import {
  type APIServiceExportRequest,
  type ClusterBinding,
  catalogueGroup,
  installCRDs,
  klutchDialect,
  providerCRDs,
} from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createCredentialsController } from '../../../credentials/src/credentials-controller.js';
import { rightsIn } from '../../../credentials/src/testing/rights.js';
import { inlineRights } from '../../../exportrequest/src/testing/rights.js';
import { Browser } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, formTokenOf } from '../testing/lab.js';
import { openTerminal } from '../testing/terminal.js';
import { klutchRights } from '../testing/rights.js';

const { apiVersion, resources: kinds } = klutchDialect;
const IDENTITY = 'example-backend.klutch.anynines.com/identity';
const owner = (lab: Lab, subject: string): Record<string, string> => ({
  'hawser.dev/owner-issuer': lab.idp.url,
  'hawser.dev/owner-subject': subject,
});

describeWithControlPlane('the portal for a kubectl bind of Klutch', () => {
  let lab: Lab;
  let url: string;

  beforeAll(async () => {
    lab = await Lab.open();
    ({ url } = lab);
    const { cluster } = lab;
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
    await cluster.grant([...klutchRights, ...rightsIn(klutchDialect), ...inlineRights]);
    const { server, caData } = cluster.plane.connection;
    await cluster.run(
      createCredentialsController({ dialect: klutchDialect, endpoint: () => ({ server, caData }) }),
      ...createInlineExportControllers({ informerScope: 'Cluster', admission: 'Template' }),
    );
    await offer('databases', [{ group: '', resource: 'secrets', selector: { names: ['password'] } }]);
    await offer('secret-project');
    await lab.allow('jane', [
      {
        apiGroups: [catalogueGroup],
        resources: ['apiserviceexporttemplates'],
        resourceNames: ['databases'],
        verbs: ['bind'],
      },
    ]);
    await lab.allow('rita', [
      { apiGroups: [catalogueGroup], resources: ['apiserviceexporttemplates'], verbs: ['bind'] },
    ]);
  });
  afterAll(() => lab.close());
  beforeEach(() => lab.begin());
  afterEach(() => lab.end());

  const start = (options: Parameters<Lab['start']>[0] = {}) =>
    lab.start({
      klutch: true,
      ...options,
      issuer: {
        url: lab.idp.url,
        clientId: 'hawser',
        clientSecret: 'a-secret-of-the-client-0123456789',
        callbackUrl: `${url}/callback`,
      },
    });
  const offer = (plural: string, permissionClaims: readonly object[] = []): Promise<KubeObject> =>
    lab.cluster.client.create(kinds.apiServiceExportTemplates, {
      apiVersion: `${catalogueGroup}/v1alpha1`,
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: plural },
      spec: { APIServiceSelector: { group: 'example.com', resource: plural }, permissionClaims },
    } as UnstructuredObject);
  const query = (clusterId: string, rest: Record<string, string> = {}): string =>
    new URLSearchParams({ p: '39999', s: 'x7Kp2a', c: clusterId, ...rest }).toString();
  /** As the terminal opens it in a browser: up to the page where the person agrees. */
  const arrive = async (
    clusterId: string,
    browser = new Browser(),
  ): Promise<{ browser: Browser; page: string; path: string }> => {
    const { status, url: at, text } = await browser.follow(`${url}/authorize?${query(clusterId)}`);
    expect([status, new URL(at).pathname]).toEqual([200, '/resources']);
    const path = /action="(\/bind[^"]+)"/u.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { browser, page: text, path };
  };
  const agree = async (clusterId: string, template = 'default/databases') => {
    const { browser, page, path } = await arrive(clusterId);
    return lab.send(browser, path, { form_token: formTokenOf(page), template });
  };
  interface Response {
    readonly kubeconfig: string;
    readonly requests: readonly APIServiceExportRequest[];
    readonly [field: string]: unknown;
  }
  const responseIn = (location: string): Response =>
    JSON.parse(Buffer.from(new URL(location).searchParams.get('response') ?? '', 'base64').toString()) as Response;
  const consumers = async (identity: string): Promise<readonly KubeObject[]> => {
    const { items } = await lab.cluster.client.list<KubeObject>(resources.namespaces);
    return items.filter(({ metadata }) => metadata.annotations?.[IDENTITY] === identity);
  };
  const onboard = async (name: string, marks: Record<string, string>): Promise<void> => {
    await lab.cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, annotations: marks },
    });
  };

  it('takes a cluster in, and answers the terminal with what its konnector needs', async () => {
    await start();
    const about = await new Browser().request(`${url}/export`);
    expect(JSON.parse(about.text)).toEqual({
      kind: 'BindingProvider',
      apiVersion: 'v1alpha1',
      version: 'v0.0.0',
      providerPrettyName: 'Lab',
      authenticationMethods: [{ method: 'OAuth2CodeGrant', oauth2CodeGrant: { authenticatedURL: `${url}/authorize` } }],
    });
    const { browser, page, path } = await arrive('aB3dE6');
    expect(page).toContain('databases.example.com');
    expect(page).toContain('secrets named */password');
    expect(page).not.toContain('secret-project');
    const fields = { form_token: formTokenOf(page), template: 'default/databases' };
    const bound = await lab.send(browser, path, fields);
    expect([bound.status, new URL(bound.location).origin]).toEqual([303, 'http://localhost:39999']);
    expect(page).not.toContain('<script');
    const response = responseIn(bound.location);
    expect(response).toMatchObject({
      apiVersion,
      kind: 'BindingResponse',
      authentication: { oauth2CodeGrant: { sid: 'x7Kp2a', id: `${lab.idp.url}/jane` } },
      requests: [
        {
          apiVersion,
          kind: 'APIServiceExportRequest',
          metadata: { name: 'databases.example.com' },
          spec: { resources: [{ group: 'example.com', resource: 'databases' }] },
        },
      ],
    });
    const [namespace, ...others] = await consumers('jane#aB3dE6');
    expect(others).toEqual([]);
    expect(namespace?.metadata.annotations).toMatchObject(owner(lab, 'jane'));
    const consumer = namespace?.metadata.name ?? '';
    const config = parseSecretKubeconfig(Buffer.from(response.kubeconfig, 'base64'));
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    expect(config.namespace).toBe(consumer);
    const asConsumer = createClient({ name: 'consumer', connection: config.connection });
    const me = await asConsumer.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    await asConsumer.close();
    expect(me).toMatchObject({
      status: { userInfo: { username: `system:serviceaccount:${consumer}:klutch-binder` } },
    });
    // What the terminal asks for next is let in by the right of the person.
    const request = response.requests[0]!;
    const key = { namespace: consumer, name: request.metadata.name };
    await lab.cluster.client.create(kinds.apiServiceExportRequests, { ...request, metadata: key });
    await eventually(async () => {
      const found = await lab.cluster.read<APIServiceExportRequest>(kinds.apiServiceExportRequests, key);
      expect(found?.status?.phase).toBe('Succeeded');
    });
    // The same again is the same consumer, and writes nothing.
    const before = (await lab.cluster.settledWrites()).length;
    const again = await agree('aB3dE6');
    expect(responseIn(again.location).kubeconfig).toBe(response.kubeconfig);
    const reviews = ['subjectaccessreviews', 'leases'];
    expect(
      (await lab.cluster.settledWrites()).slice(before).filter(({ resource }) => !reviews.includes(resource)),
    ).toEqual([]);
  });

  it('gives two people with the same cluster id, and one who asks twice at the same moment, one consumer each', async () => {
    await start();
    const twice = await Promise.all([agree('Twice1'), agree('Twice1')]);
    expect(new Set(twice.map(({ location }) => responseIn(location).kubeconfig)).size).toBe(1);
    lab.idp.person = { subject: 'rita', groups: [] };
    const rita = await agree('Twice1');
    expect(responseIn(rita.location).kubeconfig).not.toBe(responseIn(twice[0].location).kubeconfig);
    expect([(await consumers('jane#Twice1')).length, (await consumers('rita#Twice1')).length]).toEqual([1, 1]);
  });

  it('makes nothing for what a person may not bind, and hands out no consumer of others', async () => {
    await start();
    const refused = async (
      clusterId: string,
      status: number,
      words: RegExp,
      template = 'default/databases',
    ): Promise<void> => {
      const answer = await agree(clusterId, template);
      expect([answer.status, answer.location]).toEqual([status, '']);
      expect(answer.text).toMatch(words);
    };
    await refused('Hidden', 404, /no template &quot;default\/secret-project&quot;/u, 'default/secret-project');
    expect(await consumers('jane#Hidden')).toEqual([]);
    // Made by hand, or at another identity provider whose subjects are others.
    await onboard('cluster-by-hand', { [IDENTITY]: 'jane#ByHand' });
    await refused('ByHand', 403, /did not take it in here/u);
    await onboard('cluster-elsewhere', {
      [IDENTITY]: 'jane#Others',
      ...owner(lab, 'jane'),
      'hawser.dev/owner-issuer': 'https://elsewhere.example.com',
    });
    await refused('Others', 403, /did not take it in here/u);
    // An operator opens one that a backend of Klutch took in.
    await lab.cluster.client.patch(
      resources.namespaces,
      { name: 'cluster-by-hand' },
      { type: 'merge', patch: { metadata: { annotations: owner(lab, 'jane') } } },
    );
    expect((await agree('ByHand')).status).toBe(303);
    await lab.cluster.client.patch(
      kinds.clusterBindings,
      { namespace: 'cluster-by-hand', name: 'cluster' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': 'gone' } } } },
    );
    await refused('ByHand', 403, /is revoked/u);
    await onboard('cluster-second', { [IDENTITY]: 'jane#ByHand' });
    await refused('ByHand', 409, /several namespaces/u);
  });

  it('holds people to their quota of clusters', async () => {
    await start({ quotas: [{ group: 'few', clusters: 1 }] });
    lab.idp.person = { subject: 'rita', groups: ['few'] };
    const own = (await lab.cluster.client.list<KubeObject>(resources.namespaces)).items.filter(
      ({ metadata }) => metadata.annotations?.['hawser.dev/owner-subject'] === 'rita',
    );
    if (own.length === 0) expect((await agree('First1')).status).toBe(303);
    const answer = await agree('Second');
    expect([answer.status, answer.text.includes('You may have 1 cluster')]).toEqual([403, true]);
  });

  it.each([
    ['another host', { u: 'https://example.com/callback' }],
    ['a host that looks like the loopback interface', { u: 'http://127.0.0.1.example.com/' }],
    ['a port that is a host', { p: '1@a' }],
    ['a cluster id with the mark that ends a subject', { c: 'x#y' }],
    ['no session', { s: '' }],
  ])('sends nobody to %s', async (_, rest) => {
    await start();
    for (const path of ['/authorize', '/resources']) {
      const answer = await new Browser().request(`${url}${path}?${query('aB3dE6', rest)}`);
      expect([answer.status, answer.location]).toEqual([400, '']);
    }
  });

  it('binds by a form that this person was shown, and by nothing else', async () => {
    await start();
    const { browser, page, path } = await arrive('aB3dE6');
    const fields = { form_token: formTokenOf(page), template: 'default/databases' };
    const foreign = await lab.send(browser, path, fields, { origin: 'https://example.com' });
    const without = await lab.send(browser, path, { ...fields, form_token: 'x' });
    const got = await browser.request(`${url}${path}&group=example.com&resource=databases`);
    const stranger = await lab.send(new Browser(), path, fields);
    expect([foreign.status, without.status, got.status, stranger.status]).toEqual([403, 403, 405, 401]);
    lab.idp.person = { subject: 'rita', groups: [] };
    const { browser: hers, path: herPath } = await arrive('aB3dE6');
    expect((await lab.send(hers, herPath, fields)).status).toBe(403);
  });

  it('is not there where Klutch is not served, and answers no terminal where that is switched off', async () => {
    await start({ klutch: false });
    for (const path of ['/export', `/authorize?${query('aB3dE6')}`, `/resources?${query('aB3dE6')}`])
      expect((await new Browser().request(`${url}${path}`)).status).toBe(404);
    await lab.end();
    await start({ terminals: false });
    const answer = await new Browser().request(`${url}/authorize?${query('aB3dE6')}`);
    expect([answer.status, answer.text.includes('switched off')]).toEqual([400, true]);
  });

  itInChromium(
    'lets a person bind in a real browser, from kubectl bind of Klutch to its answer, without a fault of the page',
    async () => {
      await start();
      const terminal = await openTerminal();
      const window = await openWindow();
      try {
        const { page } = window;
        await page.goto(`${url}/authorize?${query('Chrome', { u: terminal.callback })}`);
        const faults = await window.faults();
        await window.follow('form[action^="/bind"] button');
        expect([faults, window.wrong]).toEqual([[], []]);
        expect(responseIn(terminal.answers[0]?.href ?? '').kubeconfig).not.toBe('');
      } finally {
        await window.close();
        terminal.close();
      }
    },
    120_000,
  );

  /** Bound, granted, and with a copy of each kind of place: of a person's cluster. */
  const live = async (clusterId: string): Promise<{ readonly namespace: string; readonly key: object }> => {
    const response = responseIn((await agree(clusterId)).location);
    const namespace = (await consumers(`${lab.idp.person.subject}#${clusterId}`))[0]?.metadata.name ?? '';
    const request = response.requests[0]!;
    const key = { namespace, name: request.metadata.name };
    await lab.cluster.client.create(kinds.apiServiceExportRequests, { ...request, metadata: key });
    await eventually(async () => {
      expect(await lab.cluster.read(kinds.apiServiceExports, key)).toBeDefined();
    });
    return { namespace, key };
  };
  const assignNamespace = async (clusterNamespace: string, name: string, at: string, marks = {}): Promise<void> => {
    if ((await lab.cluster.read(resources.namespaces, { name: at })) === undefined) await onboard(at, marks);
    const key = { namespace: clusterNamespace, name };
    await lab.cluster.client.create(kinds.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: key,
    });
    await lab.cluster.client.patch(
      kinds.apiServiceNamespaces,
      key,
      { type: 'merge', patch: { status: { namespace: at } } },
      { subresource: 'status' },
    );
  };
  const read = async <T>(browser: Browser, path: string): Promise<T> =>
    JSON.parse((await browser.request(`${url}${path}`)).text) as T;

  it('shows people what they have bound over Klutch, and nothing of their neighbours', async () => {
    await start();
    const { namespace } = await live('Shown1');
    const home = `${namespace}-team`;
    await assignNamespace(namespace, 'team', home, {
      'klutch.anynines.com/api-service-namespace': `${namespace}/team`,
    });
    lab.idp.person = { subject: 'rita', groups: [] };
    const { namespace: hers } = await live('Shown1');
    // Her cluster names the place of her neighbour, where it has no business.
    await assignNamespace(hers, 'stolen', home);
    await lab.cluster.client.create(
      { group: 'example.com', version: 'v1', resource: 'databases' },
      {
        apiVersion: 'example.com/v1',
        kind: 'databases',
        metadata: { namespace: home, name: 'orders', annotations: { 'klutch.anynines.com/bound': 'true' } },
      },
    );
    const rita = await lab.signIn();
    lab.idp.person = { subject: 'jane', groups: [] };
    const jane = await lab.signIn();
    const page = await jane.request(`${url}/bindings`);
    expect(page.text).toContain(`/bindings/${namespace}/databases.example.com`);
    expect(page.text).toContain('Klutch');
    expect(page.text).not.toContain(hers);
    const path = (of: string): string => `/api/bindings/${of}/databases.example.com`;
    const own = await read<object>(jane, path(namespace));
    expect(own).toMatchObject({ dialect: 'klutch', cluster: { prettyName: 'Shown1' }, copies: { count: 1 } });
    expect(await read<object>(rita, path(hers))).toMatchObject({ copies: { count: 0 } });
    expect((await jane.request(`${url}${path(hers)}`)).status).toBe(404);
    // An operator gives it to her, and it is hers at once.
    const moved = { type: 'merge', patch: { metadata: { annotations: owner(lab, 'rita') } } } as const;
    await lab.cluster.client.patch(resources.namespaces, { name: namespace }, moved);
    expect((await jane.request(`${url}${path(namespace)}`)).status).toBe(404);
    await eventually(async () => {
      expect((await rita.request(`${url}${path(namespace)}`)).status).toBe(200);
    });
  });

  it('has people revoke the credential of a cluster that they have bound over Klutch', async () => {
    await start();
    const { namespace } = await live('Revoke');
    const jane = await lab.signIn();
    const page = await jane.request(`${url}/bindings/${namespace}/databases.example.com`);
    expect(page.text).toContain('kubectl delete apiservicebindings.klutch.anynines.com databases.example.com');
    const fields = { form_token: formTokenOf(page.text), action: 'revoke', binding: 'databases.example.com' };
    expect((await lab.send(jane, `/clusters/${namespace}/credential`, fields)).status).toBe(303);
    const binding = await lab.cluster.read(kinds.clusterBindings, { namespace, name: 'cluster' });
    expect(binding?.metadata.annotations?.['hawser.dev/revoke-credential']).toContain('by its owner');
  });

  it('shows consumers of Klutch to those alone who may list their ClusterBindings', async () => {
    const sees = (apiGroup: string) => [{ apiGroups: [apiGroup], resources: ['clusterbindings'], verbs: ['list'] }];
    await lab.allow('olga', sees('klutch.anynines.com'));
    await lab.allow('otto', sees('kube-bind.io'));
    await start();
    const { namespace } = await live('Seen12');
    interface Answer {
      readonly items: readonly { readonly namespace: string; readonly dialect: string; readonly owner: string }[];
    }
    const as = async (subject: string): Promise<Browser> => {
      lab.idp.person = { subject, groups: [] };
      return lab.signIn();
    };
    const olga = await as('olga');
    const { items } = await read<Answer>(olga, '/api/consumers');
    expect(items.find((one) => one.namespace === namespace)).toMatchObject({
      dialect: 'klutch',
      owner: `${lab.idp.url}/jane`,
      bindings: [{ name: 'databases.example.com' }],
    });
    expect((await olga.request(`${url}/consumers/${namespace}`)).text).toContain('databases.example.com');
    const otto = await as('otto');
    expect((await read<Answer>(otto, '/api/consumers')).items.map(({ dialect }) => dialect)).not.toContain('klutch');
    expect((await otto.request(`${url}/consumers/${namespace}`)).status).toBe(404);
  });

  it('has an operator approve a template of Klutch', async () => {
    await lab.offer('guarded');
    await offer('guarded');
    await lab.cluster.client.patch(
      kinds.apiServiceExportTemplates,
      { namespace: 'default', name: 'guarded' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approval': 'required' } } } },
    );
    await lab.allow('oscar', [
      { apiGroups: ['klutch.anynines.com'], resources: ['clusterbindings'], verbs: ['list'] },
      { apiGroups: [catalogueGroup], resources: ['apiserviceexporttemplates'], verbs: ['approve'] },
    ]);
    await start();
    lab.idp.person = { subject: 'rita', groups: [] };
    const response = responseIn((await agree('Guard1', 'default/guarded')).location);
    const namespace = (await consumers('rita#Guard1'))[0]?.metadata.name ?? '';
    const request = response.requests[0]!;
    const key = { namespace, name: request.metadata.name };
    await lab.cluster.client.create(kinds.apiServiceExportRequests, { ...request, metadata: key });
    lab.idp.person = { subject: 'oscar', groups: [] };
    const oscar = await lab.signIn();
    await eventually(async () => {
      const page = await oscar.request(`${url}/consumers`);
      expect(page.text).toContain(`/consumers/${namespace}/approve`);
    });
    const fields = {
      form_token: formTokenOf((await oscar.request(`${url}/consumers`)).text),
      template: 'default/guarded',
    };
    expect((await lab.send(oscar, `/consumers/${namespace}/approve`, fields)).status).toBe(303);
    const binding = await lab.cluster.read(kinds.clusterBindings, { namespace, name: 'cluster' });
    expect(binding?.metadata.annotations?.['hawser.dev/approved-templates']).toBe('default/guarded');
  });

  it('writes the ClusterBinding as Klutch does', async () => {
    await start();
    await agree('Binding');
    const [namespace] = await consumers('jane#Binding');
    const key = { namespace: namespace?.metadata.name ?? '', name: 'cluster' };
    const binding = await lab.cluster.read<ClusterBinding>(kinds.clusterBindings, key);
    expect(binding?.spec).toEqual({
      kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' },
      providerPrettyName: 'Lab',
    });
    expect(binding?.metadata.annotations).toEqual({ 'hawser.dev/granted-templates': 'default/databases' });
  });
});
