import { createHash } from 'node:crypto';

import { type Client, type KubeObject, type ObjectKey, type Resource, keyOf, listAll } from '@hawser/client';
import {
  type APIBinding,
  type LogicalCluster,
  type Workspace,
  logicalClusterName,
  resources as kcp,
  workspacePathOf,
} from '@hawser/kcp-api';
import { resources as rbacResources } from '@hawser/kube-bind';
import { cleanupFinalizer, labels, resources } from '@hawser/syncagent-api';
import { expectThat } from '../check.js';
import { Ground, type GroundOptions, Removal } from '../ground.js';
import { allVerbs } from '../verbs.js';
import type { Probe } from '../probe.js';
import { Publication, type PublicationOptions } from './publication.js';

export interface AgentWorldOptions extends GroundOptions, PublicationOptions {
  /**
   * Opens a client with the same credential in another workspace, named by its logical cluster; the caller closes it.
   */
  readonly open: (name: string, cluster: string) => Client;
  /** ServiceAccount of the agent on the service cluster; it gets rights on the published APIs. */
  readonly agentAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Continues even if something is published already. */
  readonly amongBindings: boolean;
}

/** A workspace of a consumer. */
export interface ConsumerWorkspace {
  readonly name: string;
  /** Name of its logical cluster. */
  readonly cluster: string;
  readonly client: Client;
}

/** Namespace of the objects in workspaces: kcp makes it with each workspace. */
export const NAMESPACE = 'default';

/**
 * The service cluster and the kcp, with the objects of the checks. Their names are unique; the checks touch nothing
 * else.
 */
export class AgentWorld extends Ground {
  readonly service: Client;
  readonly kcp: Client;
  readonly publication: Publication;
  readonly #options: AgentWorldOptions;
  readonly #workspaces = new Map<string, ConsumerWorkspace>();
  /** Names of all attempted objects, failed ones included. */
  readonly #made = new Set<string>();

  constructor(options: AgentWorldOptions) {
    super(options);
    this.#options = options;
    this.service = options.service;
    this.kcp = options.kcp;
    this.publication = new Publication(this, options);
  }

  get name(): string {
    return this.publication.name;
  }

  /** Kind of {@link probes} on either side. */
  get kindOfProbes(): { readonly apiVersion: string; readonly kind: string } {
    const { group, kind } = this.publication.api;
    return { apiVersion: `${group}/v1`, kind };
  }

  get probes(): Resource {
    return this.publication.probes;
  }

  /** @throws Deviation if the clusters are unfit for the checks */
  assertFree(): Promise<void> {
    return this.publication.assertFree(this.#options.amongBindings);
  }

  /** Grants the rights on the published APIs, and publishes them. */
  async begin(): Promise<void> {
    await this.#grant();
    await this.publication.begin();
  }

  /** The workspace of a consumer, which binds the export and accepts all its claims. */
  async consumer(name: 'a' | 'b'): Promise<ConsumerWorkspace> {
    const found = this.#workspaces.get(name);
    if (found !== undefined) return found;
    const { kcp: provider, suffix } = this;
    const workspace = `conformance-${suffix}-${name}`;
    this.#made.add(workspace);
    await provider.create(kcp.workspaces, {
      apiVersion: 'tenancy.kcp.io/v1alpha1',
      kind: 'Workspace',
      metadata: { name: workspace },
    });
    const cluster = await this.until(`workspace ${workspace} is ready`, async () => {
      const { spec, status } = await provider.get<Workspace>(kcp.workspaces, { name: workspace });
      return status?.phase === 'Ready' ? spec?.cluster : undefined;
    });
    const consumer = { name: workspace, cluster, client: this.#options.open(`workspace ${workspace}`, cluster) };
    this.#workspaces.set(name, consumer);
    await this.until(`workspace ${workspace} has bound the export`, () => this.bind(consumer));
    await this.until(`workspace ${workspace} serves ${this.probes.resource}`, async () => {
      await consumer.client.list(this.probes);
      return true;
    });
    return consumer;
  }

  /** Binds the export, or accepts its current claims. Resolves to whether it is bound. */
  async bind({ client }: ConsumerWorkspace): Promise<true | undefined> {
    const { exportName } = this.#options;
    const [{ spec }, home] = await Promise.all([
      this.publication.export(),
      this.kcp.get<LogicalCluster>(kcp.logicalClusters, { name: logicalClusterName }),
    ]);
    const binding: APIBinding = {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIBinding',
      metadata: { name: this.name },
      spec: {
        reference: { export: { path: workspacePathOf(home), name: exportName } },
        permissionClaims: (spec?.permissionClaims ?? []).map(({ group = '', resource, verbs, identityHash = '' }) => ({
          group,
          resource,
          verbs,
          identityHash,
          selector: { matchAll: true },
          state: 'Accepted',
        })),
      },
    };
    const { status } = await this.applyObject<APIBinding>(client, kcp.apiBindings, binding);
    return status?.phase === 'Bound' ? true : undefined;
  }

  /** Makes an object in a workspace. */
  async make(
    { client }: ConsumerWorkspace,
    name: string,
    spec: Partial<Probe['spec']> = {},
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<Probe> {
    const probe = {
      ...this.kindOfProbes,
      metadata: { name, namespace: NAMESPACE, ...metadata },
      spec: { token: this.tokenOf(name), size: 1, ...spec },
    };
    return this.applyObject<Probe>(client, this.probes, probe);
  }

  /** Makes an object of {@link projectedApi} in a workspace. */
  async makeFiltered(
    { client }: ConsumerWorkspace,
    name: string,
    labelsOfIt: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { group, version, kind, plural } = this.publication.projectedApi;
    const visitor: Probe = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name, namespace: NAMESPACE, labels: labelsOfIt },
      spec: { token: this.tokenOf(name), size: 1 },
    };
    await this.until(`the workspace serves ${plural}`, () =>
      this.applyObject(client, this.publication.visitors, visitor),
    );
  }

  /** Token that identifies the copy of an object, whatever its name is. */
  tokenOf(name: string): string {
    return `${this.suffix}-${name}`;
  }

  object({ client }: ConsumerWorkspace, name: string, resource = this.probes): Promise<Probe | undefined> {
    return this.read<Probe>(client, resource, { namespace: NAMESPACE, name });
  }

  copies(resource = this.probes): Promise<readonly Probe[]> {
    return listAll<Probe>(this.service, resource);
  }

  async copy(name: string, resource = this.probes): Promise<Probe | undefined> {
    return (await this.copies(resource)).find(({ spec }) => spec.token === this.tokenOf(name));
  }

  /** Makes an object and waits for its copy. */
  async synced(
    consumer: ConsumerWorkspace,
    name: string,
    spec: Partial<Probe['spec']> = {},
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly object: Probe; readonly copy: Probe }> {
    await this.make(consumer, name, spec, metadata);
    const copy = await this.until(`${name} has a copy on the ${this.service.name}`, () => this.copy(name));
    const object = await this.object(consumer, name);
    expectThat(object !== undefined, `object ${name} is gone from its workspace`);
    return { object, copy };
  }

  async putSecret(
    client: Client,
    { namespace, name }: ObjectKey,
    value: string,
    labelsOfIt: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const secret: KubeObject & { readonly data: Readonly<Record<string, string>> } = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name, labels: labelsOfIt },
      data: { value: Buffer.from(value).toString('base64') },
    };
    await this.applyObject(client, resources.secrets, secret);
  }

  /** Contents of a Secret made by the checks, or of its copy. */
  async secret(client: Client, key: ObjectKey): Promise<string | undefined> {
    type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };
    const value = (await this.read<Secret>(client, resources.secrets, key))?.data?.['value'];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  }

  /** Place of an object's copy by the default naming rules, for a PublishedResource without its own. */
  defaultCopyKey({ cluster }: ConsumerWorkspace, name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: cluster, name: `${sha3short(NAMESPACE)}-${sha3short(name)}` };
  }

  async #grant(): Promise<void> {
    const { agentAccount } = this.#options;
    if (agentAccount === undefined) return;
    const rbac = 'rbac.authorization.k8s.io';
    const { api, filteredApi } = this.publication;
    const of = [api.plural, filteredApi.plural];
    const role: KubeObject & { readonly rules: readonly object[] } = {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: this.name },
      rules: [
        { apiGroups: [api.group], resources: of.flatMap((one) => [one, `${one}/status`]), verbs: allVerbs },
        { apiGroups: [''], resources: ['secrets'], verbs: allVerbs },
      ],
    };
    const binding: KubeObject & { readonly roleRef: object; readonly subjects: readonly object[] } = {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: this.name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: this.name },
      subjects: [{ kind: 'ServiceAccount', ...agentAccount }],
    };
    await this.applyObject(this.service, rbacResources.clusterRoles, role);
    await this.applyObject(this.service, rbacResources.clusterRoleBindings, binding);
  }

  /**
   * Removes all objects of this world in any state: consumers' objects first, while the agent may still handle their
   * copies.
   */
  override async remove(): Promise<readonly string[]> {
    const removal = new Removal();
    const { service } = this;
    for (const consumer of this.#workspaces.values()) await this.#removeConsumer(removal, consumer);
    for (const name of this.#made) await removal.drop(this.kcp, kcp.workspaces, { name });
    await this.publication.remove(removal);
    await removal.attempt(`objects of the ${service.name}`, async () => {
      for (const resource of [this.probes, this.publication.guests]) await this.#release(service, resource);
    });
    await this.publication.restore(removal);
    await removal.drop(service, rbacResources.clusterRoleBindings, { name: this.name });
    await removal.drop(service, rbacResources.clusterRoles, { name: this.name });
    return removal.left;
  }

  async #removeConsumer(removal: Removal, consumer: ConsumerWorkspace): Promise<void> {
    const { client, cluster } = consumer;
    await removal.attempt(`objects of ${client.name}`, async () => {
      for (const resource of [this.probes, this.publication.visitors])
        for (const object of await this.listIfServed(client, resource)) await client.delete(resource, keyOf(object));
      await this.until(
        'they go',
        async () => ((await this.#objects(client)).length === 0 ? true : undefined),
        REMOVAL_MS,
      ).catch(() => undefined);
      for (const resource of [this.probes, this.publication.visitors, resources.secrets])
        await this.#release(client, resource);
    });
    await removal.drop(client, kcp.apiBindings, { name: this.name });
    await removal.attempt(`state of ${client.name}`, async () => {
      const labelSelector = stateSelector(consumer);
      for (const secret of await listAll(this.service, resources.secrets, { labelSelector }))
        await this.service.delete(resources.secrets, keyOf(secret));
    });
    for (const namespace of [cluster, this.filteredNamespace(consumer)])
      if ((await this.read(this.service, resources.namespaces, { name: namespace })) !== undefined)
        await removal.drop(this.service, resources.namespaces, { name: namespace });
  }

  /** Namespace of the copies of the filtered API. */
  filteredNamespace({ cluster }: ConsumerWorkspace): string {
    return `${this.name}-${cluster}`;
  }

  async #objects(client: Client): Promise<readonly KubeObject[]> {
    return (
      await Promise.all([this.probes, this.publication.visitors].map((resource) => this.listIfServed(client, resource)))
    ).flat();
  }

  /** The controller that held them may be gone. */
  async #release(client: Client, resource: Resource): Promise<void> {
    for (const object of await this.listIfServed(client, resource))
      if (object.metadata.finalizers?.includes(cleanupFinalizer) === true)
        await client.patch(resource, keyOf(object), { type: 'merge', patch: { metadata: { finalizers: null } } });
  }
}

/** Time for objects to go by themselves at the end. */
const REMOVAL_MS = 20_000;

/** `sha3short` of naming rules (spec/api-syncagent.md §14.1). */
function sha3short(text: string): string {
  return createHash('sha3-256').update(text).digest('hex').slice(0, 20);
}

/** Selects the Secrets in which an agent stores its memory of a workspace's objects. */
export function stateSelector({ cluster }: ConsumerWorkspace): string {
  return `${labels.objectState}=true,${labels.remoteCluster}=${cluster}`;
}
