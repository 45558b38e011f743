import { createExportRequestController } from '@hawser/exportrequest';
import { createPropagationController } from '@hawser/propagation';
import { createConsumerAccessController, createOnboardingController } from '@hawser/onboarding';
import { type PermissionClaim, clusterNamespaceName, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually, freePort, uniqueNamespace } from '@hawser/testenv';
import { createCredentialsController } from '../../../credentials/src/credentials-controller.js';
import { rights as credentialRights } from '../../../credentials/src/testing/rights.js';
import { admissionRights, rights as requestRights } from '../../../exportrequest/src/testing/rights.js';
import { rights as onboardingRights } from '../../../onboarding/src/testing/rights.js';
import { rights as propagationRights } from '../../../propagation/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { type Portal, type PortalOptions, createPortal } from '../index.js';
import { type Answer, Browser } from './browser.js';
import { type IdentityProvider, clientId, clientSecret, startIdentityProvider } from './identity-provider.js';
import { rights } from './rights.js';

/** Claims of the template `claiming`. */
export const claims: readonly PermissionClaim[] = [
  { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'database' } } } },
  { group: '', resource: 'configmaps', selector: { labelSelector: {} } },
];

/**
 * A provider with portals, controllers with least rights, and an identity provider. Group `databases` may bind the
 * template `databases` and further offers, `claire` may bind `claiming`; no person may bind `secret-project`.
 */
export class Lab {
  /** Namespace of the portals of one test. */
  namespace = '';
  readonly running: { readonly portal: Portal; readonly at: Running }[] = [];
  readonly url: string;

  private constructor(
    readonly cluster: ProviderCluster,
    readonly idp: IdentityProvider,
    readonly port: number,
    readonly controllers: Running,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async open(): Promise<Lab> {
    const all = [
      ...rights,
      ...onboardingRights,
      ...credentialRights,
      ...requestRights,
      ...admissionRights,
      ...propagationRights,
    ];
    const cluster = await openProviderCluster(all, { controllerManager: true });
    const { server, caData } = cluster.plane.connection;
    const controllers = await cluster.run(
      createOnboardingController({ namespacePrefix: 'kube-bind-', prettyName: 'Lab' }),
      createExportRequestController({
        informerScope: 'Cluster',
        isolation: 'Prefixed',
        admission: 'Template',
        carriesSchemas: false,
      }),
      createPropagationController({ dialect: kubeBindDialect, schemaPolicy: 'Safe' }),
      createConsumerAccessController({ dialect: kubeBindDialect }),
      createCredentialsController({ dialect: kubeBindDialect, endpoint: () => ({ server, caData }) }),
    );
    const port = await freePort();
    const idp = await startIdentityProvider(
      ['/api/callback', '/callback'].map((path) => `http://127.0.0.1:${port}${path}`),
    );
    const lab = new Lab(cluster, idp, port, controllers);
    await lab.#furnish();
    return lab;
  }

  async close(): Promise<void> {
    await this.controllers.stop();
    await this.idp.close();
    await this.cluster.close();
  }

  /** Makes a namespace for the portals of a test, and `jane` at the identity provider. */
  async begin(): Promise<void> {
    this.namespace = uniqueNamespace('portal');
    await this.create('Namespace', 'namespaces', this.namespace);
    this.idp.person = { subject: 'jane', groups: ['databases'] };
  }

  async end(): Promise<void> {
    for (const { at } of this.running.splice(0)) await at.stop();
  }

  async create(kind: string, resource: keyof typeof resources, name: string, rest: object = {}): Promise<void> {
    const { group, version } = resources[resource];
    const apiVersion = group === '' ? version : `${group}/${version}`;
    await this.cluster.client.create(resources[resource], { apiVersion, kind, metadata: { name }, ...rest });
  }

  async start(options: Partial<PortalOptions> = {}): Promise<Portal> {
    const portal = createPortal({
      address: `127.0.0.1:${this.port}`,
      publicUrl: this.url,
      issuer: { url: this.idp.url, clientId, clientSecret },
      prettyName: 'Lab',
      version: '1.2.3',
      namespace: this.namespace,
      requestsPerMinute: 100_000,
      ...options,
    });
    this.running.push({ portal, at: await this.cluster.run(portal) });
    return portal;
  }

  authorize(parameters: Record<string, string> = {}): string {
    const query = { redirect_url: `${this.url}/page`, session_id: 'mine', client_type: 'ui', ...parameters };
    return `${this.url}/api/authorize?${new URLSearchParams(query).toString()}`;
  }

  async signIn(browser = new Browser()): Promise<Browser> {
    const { status, url, text } = await browser.follow(this.authorize(), ({ pathname }) => pathname === '/page');
    if (status !== 302) throw new Error(`sign-in ended with ${status} at ${url}: ${text}`);
    return browser;
  }

  /** Sends a form of a page. */
  send(
    browser: Browser,
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return browser.request(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.url, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Binds like a person on the page, for a new cluster; returns the cluster namespace. */
  async bind(
    browser: Browser,
    { name = 'db', template = 'databases', cluster = uniqueNamespace('cluster') } = {},
  ): Promise<string> {
    const page = await browser.request(`${this.url}/templates/${template}`);
    const fields = { form_token: formTokenOf(page.text), name, cluster, cluster_name: 'Acme' };
    const bound = await this.send(browser, `/templates/${template}`, fields);
    const namespace = clusterNamespaceName('kube-bind-', cluster);
    if (bound.status !== 200 || !bound.text.includes(`/bindings/${namespace}/${name}`)) throw new Error(bound.text);
    return namespace;
  }

  /** Waits until the provider has granted a binding. */
  async granted(namespace: string, name = 'db'): Promise<void> {
    await eventually(async () => {
      if ((await this.cluster.read(resources.apiServiceExports, { namespace, name })) === undefined)
        throw new Error(`${namespace}/${name} is not granted`);
    });
  }

  /** A person's cluster whose konnector has bound what was granted, and reports as in `spec/konnector.md §7.5`. */
  async connect(namespace: string, name: string, heartbeat = new Date()): Promise<void> {
    const { client } = this.cluster;
    const time = `${heartbeat.toISOString().slice(0, 19)}Z`;
    const status = { lastHeartbeatTime: time, heartbeatInterval: '5m0s', konnectorVersion: 'v1.2.3' };
    await client.patch(
      resources.clusterBindings,
      { namespace, name: 'cluster' },
      { type: 'merge', patch: { status } },
      { subresource: 'status' },
    );
    const conditions = ['Connected', 'ConsumerInSync'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: time,
    }));
    await client.patch(
      resources.apiServiceExports,
      { namespace, name },
      { type: 'merge', patch: { status: { conditions } } },
      { subresource: 'status' },
    );
  }

  /** Makes a copy of a consumer's database, in a service namespace of its own. */
  async copy(clusterNamespace: string, name: string, plural = 'databases'): Promise<void> {
    const { client } = this.cluster;
    const serviceNamespace = `${clusterNamespace}-default`;
    const known = await this.cluster.read(resources.namespaces, { name: serviceNamespace });
    if (known === undefined) await this.create('Namespace', 'namespaces', serviceNamespace);
    const key = { namespace: clusterNamespace, name: 'default' };
    if ((await this.cluster.read(resources.apiServiceNamespaces, key)) === undefined)
      await client.create(resources.apiServiceNamespaces, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceNamespace',
        metadata: key,
      });
    await client.patch(
      resources.apiServiceNamespaces,
      key,
      { type: 'merge', patch: { status: { namespace: serviceNamespace } } },
      { subresource: 'status' },
    );
    await client.create(
      { group: 'example.com', version: 'v1', resource: plural },
      {
        apiVersion: 'example.com/v1',
        kind: plural,
        metadata: {
          namespace: serviceNamespace,
          name,
          annotations: { 'kube-bind.io/cluster-namespace': clusterNamespace },
        },
      },
    );
  }

  /** Makes an API, with a template of its name that the group `databases` may bind. */
  async offer(plural: string): Promise<void> {
    const { metadata, ...rest } = crd(plural) as { readonly metadata: object };
    const name = `${plural}.example.com`;
    await this.cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { ...metadata, name },
      ...rest,
    });
    await this.#template(plural);
    await this.#mayBind(plural, { kind: 'Group', name: 'databases' });
  }

  /** Makes a role with these rules for one person. */
  async allow(user: string, rules: readonly object[]): Promise<void> {
    await this.create('ClusterRole', 'clusterRoles', user, { rules });
    await this.create('ClusterRoleBinding', 'clusterRoleBindings', user, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }

  #template(plural: string): Promise<void> {
    return this.create('APIServiceExportTemplate', 'apiServiceExportTemplates', plural, {
      spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: plural, versions: ['v1'] }] },
    });
  }

  async #furnish(): Promise<void> {
    await this.create('ClusterRole', 'clusterRoles', 'kube-binder', {
      rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch'] }],
    });
    await this.#template('secret-project');
    await this.create('APIServiceExportTemplate', 'apiServiceExportTemplates', 'claiming', {
      spec: {
        scope: 'Namespaced',
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
        permissionClaims: claims,
      },
    });
    await this.offer('databases');
    await this.#mayBind('claiming', { kind: 'User', name: 'claire' });
  }

  async #mayBind(template: string, { kind, name }: { readonly kind: string; readonly name: string }): Promise<void> {
    const role = `may-bind-${template}`;
    await this.create('ClusterRole', 'clusterRoles', role, {
      rules: [
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates'],
          resourceNames: [template],
          verbs: ['bind'],
        },
      ],
    });
    await this.create('ClusterRoleBinding', 'clusterRoleBindings', role, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name }],
    });
  }
}

const crd = (plural: string): object => ({
  metadata: { labels: { 'kube-bind.io/exported': 'true' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { engine: { type: 'string' } } } },
          },
        },
      },
    ],
  },
});

/** Token of the first form of a page; all forms of a page share it. */
export function formTokenOf(page: string): string {
  return /name="form_token" value="([^"]+)"/u.exec(page)?.[1] ?? '';
}
