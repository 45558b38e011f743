import { type Client, type KubeObject, type Resource, getIfExists, listAll } from '@hawser/client';
import { sleep } from '@hawser/clock';
import {
  type APIServiceBinding,
  type BindableResourcesRequest,
  type ClusterSecretKeyRef,
  type Condition,
  type Secret,
  aggregateToKonnector,
  apiVersion,
  bindingResponseSecretName,
  crdName,
  fixedNames,
  getCondition,
  labels,
  resources,
} from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { Deviation, expectThat } from '../check.js';
import { Ground, type GroundOptions, Removal } from '../ground.js';
import { allVerbs } from '../verbs.js';
import { type ProviderAddress, askToOnboard, onboardingRequestName, playOnboarding } from './onboarding.js';
import { type PlayedBackend, playBackend } from './played-backend.js';
import { type Probe, type ProbeApi, type ProbeSchema, probeCrd, probeResource } from '../probe.js';
import { releaseProbes, removeConsumer } from './remove-consumer.js';

/** The programs under check: both, or one while the checks play the other. */
export type Role = 'pair' | 'konnector' | 'provider';

export interface WorldOptions extends GroundOptions {
  readonly role: Role;
  /** Clients of administrators. Role `provider` does not need the consumer. */
  readonly consumer: Client | undefined;
  readonly provider: Client;
  /** How konnectors reach the provider. */
  readonly address: ProviderAddress;
  /** Opens a client with the credential from a backend; the caller closes it. */
  readonly open: (name: string, connection: ConnectionConfig) => Client;
  /** API group of the bound APIs. */
  readonly group: string;
  /** Namespace of the onboarding requests. */
  readonly requestNamespace: string;
  /** Kubeconfig from a backend that onboards consumers by other ways; absent: an object asks the backend. */
  readonly bindingKubeconfig?: string | undefined;
  /** ServiceAccount of the konnector; it gets rights on the bound API. */
  readonly konnectorAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Continues even if something is bound already. */
  readonly amongBindings: boolean;
}

/** The claim selects consumer Secrets with this label. */
export const claimedLabel = { 'conformance.hawser.dev/claimed': 'true' } as const;

/** The clusters with the objects of the checks. Their names are unique; the checks touch nothing else. */
export class World extends Ground {
  readonly role: Role;
  readonly provider: Client;
  readonly api: ProbeApi;
  /** Another API, for checks that must not affect the first. */
  readonly secondApi: ProbeApi;
  /** Name of export, request and binding. */
  readonly name: string;
  /** The same for the second API; neither name is a prefix of the other. */
  readonly secondName: string;
  /** Consumer namespace of the objects. */
  readonly namespace: string;
  /** Consumer namespaces that only the backend uses. */
  readonly served: string;
  readonly givenUp: string;
  readonly taken: string;
  readonly #options: WorldOptions;
  readonly #namespaces = new Set<string>();
  /** Cluster namespaces of the consumers that a backend has taken on. */
  readonly #clusterNamespaces = new Set<string>();
  #clusterNamespace: string;
  #kubeconfig = '';
  #asConsumer: Client | undefined;
  #played: PlayedBackend | undefined;

  constructor(options: WorldOptions) {
    super(options);
    const { role, provider, group, suffix } = options;
    this.#options = options;
    this.role = role;
    this.provider = provider;
    this.api = { group, plural: 'probes', kind: 'Probe' };
    this.secondApi = { group, plural: 'guests', kind: 'Guest' };
    this.name = `conformance-${suffix}`;
    this.secondName = `second-conformance-${suffix}`;
    this.namespace = `conformance-${suffix}`;
    this.served = `${this.namespace}-served`;
    this.givenUp = `${this.namespace}-given-up`;
    this.taken = `${this.namespace}-taken`;
    this.#clusterNamespace = `kube-bind-conformance-${suffix}`;
  }

  get #identity(): string {
    return this.suffix;
  }

  get #anotherIdentity(): string {
    return `${this.suffix}-another`;
  }

  get consumer(): Client {
    const { consumer } = this.#options;
    if (consumer === undefined) throw new Deviation('there is no consumer cluster: --consumer');
    return consumer;
  }

  get clusterNamespace(): string {
    return this.#clusterNamespace;
  }

  /** The konnector's kubeconfig. Holds a credential. */
  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  /** Client of the provider with the consumer's credential. */
  get asConsumer(): Client {
    if (this.#asConsumer === undefined) throw new Deviation('the consumer has no credential');
    return this.#asConsumer;
  }

  get backend(): PlayedBackend {
    if (this.#played === undefined) throw new Deviation('a backend runs: it is not played here');
    return this.#played;
  }

  get #crds(): readonly { readonly name: string }[] {
    return [this.api, this.secondApi].map(({ plural, group }) => ({ name: crdName(plural, group) }));
  }

  get probes(): Resource {
    return probeResource(this.api);
  }

  /** @throws Deviation if the clusters are unfit for the checks */
  async assertFree(): Promise<void> {
    const { consumer, amongBindings } = this.#options;
    // All that the end of the run removes.
    for (const client of [this.provider, ...(consumer === undefined ? [] : [consumer])])
      for (const crd of this.#crds)
        expectThat(
          (await getIfExists(client, resources.customResourceDefinitions, crd)) === undefined,
          `CRD ${crd.name} is on the ${client.name} already. Delete it if it is left of a run before, or name another --group.`,
        );
    if (consumer !== undefined) {
      const uids = await Promise.all(
        [consumer, this.provider].map(
          async (client) => (await client.get(resources.namespaces, { name: 'default' })).metadata.uid,
        ),
      );
      expectThat(
        uids[0] !== uids[1],
        'The consumer and the provider are one cluster: objects cannot be told from their copies.',
      );
    }
    if (amongBindings) return;
    const kinds: readonly [Client | undefined, Resource][] = [
      [consumer, resources.apiServiceBindings],
      [this.provider, resources.apiServiceExports],
    ];
    for (const [client, resource] of kinds) {
      if (client === undefined) continue;
      const found = await this.listIfServed(client, resource);
      expectThat(
        found.length === 0,
        `The ${client.name} has ${found.length} ${resource.resource}. Run the checks on clusters without users, or pass --among-bindings to run them here.`,
      );
    }
  }

  /** Takes on a consumer, without a binding. */
  async onboard(): Promise<void> {
    const { role, bindingKubeconfig, requestNamespace, address } = this.#options;
    await this.installProbes();
    if (role === 'konnector') {
      this.#clusterNamespaces.add(this.#clusterNamespace);
      this.#kubeconfig = await playOnboarding(this, address);
      this.#played = playBackend(this);
    } else this.#kubeconfig = bindingKubeconfig ?? (await askToOnboard(this, this.#identity, requestNamespace));
    const { client, namespace } = this.openKubeconfig('provider as the consumer', this.#kubeconfig);
    this.#asConsumer = client;
    this.#clusterNamespace = namespace;
    this.#clusterNamespaces.add(namespace);
  }

  /** @throws Deviation if a konnector could not use it */
  openKubeconfig(name: string, text: string): { readonly client: Client; readonly namespace: string } {
    const parsed = parseSecretKubeconfig(text);
    expectThat(
      parsed.ok,
      `the kubeconfig that was handed out cannot be used: ${parsed.ok ? '' : parsed.problems.map(({ message }) => message).join(' ')}`,
    );
    return { client: this.#options.open(name, parsed.connection), namespace: parsed.namespace };
  }

  /** Another consumer of the same backend. */
  async onboardAnother(): Promise<{ readonly client: Client; readonly namespace: string }> {
    const { requestNamespace } = this.#options;
    const another = this.openKubeconfig(
      'provider as another consumer',
      await askToOnboard(this, this.#anotherIdentity, requestNamespace),
    );
    this.#clusterNamespaces.add(another.namespace);
    return another;
  }

  async installProbes(schema: ProbeSchema = 'first'): Promise<void> {
    const crd = probeCrd(this.api, schema);
    await this.applyObject(this.provider, resources.customResourceDefinitions, crd);
    await this.established(this.provider, crd.metadata.name);
  }

  /** Makes Secret and binding on the consumer, and the konnector's rights on the API. */
  async bind(): Promise<void> {
    const { konnectorAccount } = this.#options;
    const { consumer } = this;
    const role = `conformance-konnector-${this.suffix}`;
    const rbac = 'rbac.authorization.k8s.io';
    await this.apply(
      consumer,
      resources.clusterRoles,
      {
        metadata: { name: role, labels: aggregateToKonnector },
        rules: [
          {
            apiGroups: [this.api.group],
            resources: [this.api.plural, `${this.api.plural}/status`, this.secondApi.plural],
            verbs: allVerbs,
          },
          { apiGroups: [''], resources: ['secrets'], verbs: allVerbs },
        ],
      },
      `${rbac}/v1`,
      'ClusterRole',
    );
    if (konnectorAccount !== undefined)
      await this.apply(
        consumer,
        resources.clusterRoleBindings,
        {
          metadata: { name: role },
          roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'ServiceAccount', ...konnectorAccount }],
        },
        `${rbac}/v1`,
        'ClusterRoleBinding',
      );
    await this.makeNamespace(this.namespace);
    await this.setSecret(this.#kubeconfig);
    await this.apply(
      consumer,
      resources.apiServiceBindings,
      { metadata: { name: this.name }, spec: { kubeconfigSecretRef: this.#secretRef() } },
      apiVersion,
      'APIServiceBinding',
    );
  }

  async makeNamespace(name: string): Promise<void> {
    this.#namespaces.add(name);
    await this.apply(this.consumer, resources.namespaces, { metadata: { name } }, 'v1', 'Namespace');
  }

  /** Stores a kubeconfig in the Secret of the binding. */
  async setSecret(kubeconfig: string): Promise<void> {
    const { namespace, name, key } = this.#secretRef();
    await this.apply(this.consumer, resources.namespaces, { metadata: { name: namespace } }, 'v1', 'Namespace');
    await this.apply(
      this.consumer,
      resources.secrets,
      {
        metadata: { namespace, name, labels: { [labels.providerKubeconfig]: 'true' } },
        type: 'Opaque',
        data: { [key]: Buffer.from(kubeconfig).toString('base64') },
      },
      'v1',
      'Secret',
    );
  }

  /** The kubeconfig in the Secret. */
  async secret(): Promise<string> {
    const { namespace, name, key } = this.#secretRef();
    const { data } = await this.consumer.get<Secret>(resources.secrets, { namespace, name });
    return Buffer.from(data?.[key] ?? '', 'base64').toString();
  }

  #secretRef(): ClusterSecretKeyRef {
    return {
      namespace: fixedNames.konnectorNamespace,
      name: `kubeconfig-${this.name}`,
      key: fixedNames.kubeconfigKey,
    };
  }

  async condition(type: string, binding = this.name): Promise<Condition | undefined> {
    const { status } = await this.consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name: binding });
    return getCondition(status?.conditions, type);
  }

  /** Makes an object on the consumer. */
  async make(
    name: string,
    spec: Partial<Probe['spec']> = {},
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<Probe> {
    return this.apply<Probe>(
      this.consumer,
      this.probes,
      {
        metadata: { name, namespace: this.namespace, ...metadata },
        spec: { token: this.tokenOf(name), size: 1, ...spec },
      },
      `${this.api.group}/v1`,
      this.api.kind,
    );
  }

  /** Token that identifies the copy of an object, in any place of a backend. */
  tokenOf(name: string): string {
    return `${this.suffix}-${name}`;
  }

  object(name: string): Promise<Probe | undefined> {
    return this.read<Probe>(this.consumer, this.probes, { namespace: this.namespace, name });
  }

  copies(): Promise<readonly Probe[]> {
    return listAll<Probe>(this.provider, this.probes);
  }

  async copy(name: string): Promise<Probe | undefined> {
    return (await this.copies()).find(({ spec }) => spec.token === this.tokenOf(name));
  }

  /** Makes an object and waits for its copy. */
  async synced(
    name: string,
    spec: Partial<Probe['spec']> = {},
  ): Promise<{ readonly object: Probe; readonly copy: Probe }> {
    await this.make(name, spec);
    const copy = await this.until(`${name} has a copy on the provider`, () => this.copy(name));
    const object = await this.object(name);
    expectThat(object !== undefined, `object ${name} is gone from the consumer`);
    return { object, copy };
  }

  protected override meanwhile(): Promise<void> {
    return this.#played?.answer() ?? Promise.resolve();
  }

  apply<T extends KubeObject>(
    client: Client,
    resource: Resource,
    content: { readonly metadata: KubeObject['metadata'] } & Readonly<Record<string, unknown>>,
    objectVersion: string,
    kind: string,
  ): Promise<T> {
    return this.applyObject<T>(client, resource, { apiVersion: objectVersion, kind, ...content });
  }

  /** Removes all objects of this world, in any state. Resolves to those that could not be removed. */
  override async remove(): Promise<readonly string[]> {
    const removal = new Removal();
    const { consumer } = this.#options;
    if (consumer !== undefined) {
      for (const binding of [this.name, this.secondName])
        await removal.drop(consumer, resources.apiServiceBindings, { name: binding });
      for (const crd of this.#crds) await removal.drop(consumer, resources.customResourceDefinitions, crd);
      // The controller that held them may be gone.
      await removal.attempt('objects of the consumer', () => releaseProbes(consumer, this.probes));
      for (const each of this.#namespaces) await removal.drop(consumer, resources.namespaces, { name: each });
      const role = `conformance-konnector-${this.suffix}`;
      await removal.drop(consumer, resources.clusterRoleBindings, { name: role });
      await removal.drop(consumer, resources.clusterRoles, { name: role });
    }
    const { provider } = this;
    for (const crd of this.#crds) await removal.drop(provider, resources.customResourceDefinitions, crd);
    await removal.attempt('objects of the provider', () => releaseProbes(provider, this.probes));
    await this.#removeRequests(removal);
    const { bindingKubeconfig } = this.#options;
    for (const clusterNamespace of this.#clusterNamespaces)
      await removeConsumer(this, removal, {
        clusterNamespace,
        // A consumer from before the run keeps all but objects with names of the checks.
        isOurs: bindingKubeconfig === undefined || clusterNamespace !== this.#clusterNamespace,
        schemas: this.#crds.map(({ name }) => name),
      });
    const played = `conformance-kube-bind-conformance-${this.suffix}`;
    await removal.drop(provider, resources.clusterRoleBindings, { name: played });
    await removal.drop(provider, resources.clusterRoles, { name: played });
    if (consumer !== undefined)
      await removal.attempt('the kubeconfig Secret of the consumer', () => this.#removeSecret(consumer));
    return removal.left;
  }

  /** A konnector that does not know yet that its consumer is gone recreates the Secret (spec/konnector.md §7.2). */
  async #removeSecret(consumer: Client): Promise<void> {
    const { namespace, name } = this.#secretRef();
    const key = { namespace, name };
    for (let tries = 0; tries < 20 && (await this.read(consumer, resources.secrets, key)) !== undefined; tries++) {
      await consumer.delete(resources.secrets, key);
      await sleep(this.clock, 500);
    }
    expectThat((await this.read(consumer, resources.secrets, key)) === undefined, 'it is made again and again');
  }

  /** Removes onboarding requests, their answers (with credentials), and consumers whose onboarding was broken off. */
  async #removeRequests(removal: Removal): Promise<void> {
    const { provider } = this;
    const { requestNamespace: namespace } = this.#options;
    for (const name of [this.#identity, this.#anotherIdentity].map(onboardingRequestName)) {
      await removal.attempt(`BindableResourcesRequest ${name}`, async () => {
        const { status } = await provider.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
          namespace,
          name,
        });
        if (status?.namespace !== undefined) this.#clusterNamespaces.add(status.namespace);
        await provider.delete(resources.bindableResourcesRequests, { namespace, name });
      });
      await removal.drop(provider, resources.secrets, { namespace, name: bindingResponseSecretName(name) });
    }
  }
}
