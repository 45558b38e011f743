import { type Client, type Resource, listAll } from '@hawser/client';
import {
  type APIExport,
  type APIResourceSchema,
  type PermissionClaim,
  type V1alpha1APIExport,
  resources as kcp,
} from '@hawser/kcp-api';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import { expectThat } from '../check.js';
import type { Ground, Removal } from '../ground.js';
import { type ProbeApi, type ProbeSchema, probeCrd, probeResource, typeOfSpecField } from '../probe.js';

export interface PublicationOptions {
  /** Client of an administrator of the service cluster. */
  readonly service: Client;
  /** Client of an administrator in the workspace of the export. */
  readonly kcp: Client;
  /** Name of the APIExport that the agent fills. */
  readonly exportName: string;
  /** API group of the published APIs. */
  readonly group: string;
  /** Labels of PublishedResources, for agents that take only some. */
  readonly publishedLabels: Readonly<Record<string, string>>;
}

/** The agent publishes only objects of the filtered API with this label. */
export const wantedLabel = { 'conformance.hawser.dev/wanted': 'true' } as const;
/** A Secret with this label belongs to the object that it names. */
export const ofLabel = 'conformance.hawser.dev/of';
/** Publishes the APIs of the checks: CRDs, PublishedResources, and their result in the export. */
export class Publication {
  readonly service: Client;
  readonly kcp: Client;
  /** Published under its own name. */
  readonly api: ProbeApi;
  /** Published under another name, and only in part. */
  readonly filteredApi: ProbeApi;
  /** {@link filteredApi} as workspaces see it. */
  readonly projectedApi: ProbeApi & { readonly version: string };
  /** Name of the PublishedResource of {@link api}. */
  readonly name: string;
  /** Current schema of {@link api} on the service cluster. */
  schemaOfCrd: ProbeSchema = 'first';
  readonly #ground: Ground;
  readonly #options: PublicationOptions;
  readonly #published = new Set<string>();
  #before: APIExport | undefined;

  constructor(ground: Ground, options: PublicationOptions) {
    const { group } = options;
    this.#ground = ground;
    this.#options = options;
    this.service = options.service;
    this.kcp = options.kcp;
    this.api = { group, plural: 'probes', kind: 'Probe' };
    this.filteredApi = { group, plural: 'guests', kind: 'Guest' };
    this.projectedApi = { group: `kcp.${group}`, plural: 'visitors', kind: 'Visitor', version: 'v2' };
    this.name = `conformance-${ground.suffix}`;
  }

  /** Name of the PublishedResource of {@link filteredApi}. */
  get filteredName(): string {
    return `${this.name}-filtered`;
  }

  /** {@link api} on either side. */
  get probes(): Resource {
    return probeResource(this.api);
  }

  /** {@link filteredApi} on the service cluster. */
  get guests(): Resource {
    return probeResource(this.filteredApi);
  }

  /** {@link guests} in workspaces. */
  get visitors(): Resource {
    const { group, version, plural } = this.projectedApi;
    return { group, version, resource: plural };
  }

  get #crds(): readonly { readonly name: string }[] {
    return [this.api, this.filteredApi].map(({ plural, group }) => ({ name: `${plural}.${group}` }));
  }

  /** @throws Deviation if the clusters are unfit for the checks */
  async assertFree(amongBindings: boolean): Promise<void> {
    const { service, kcp: provider } = this;
    const { exportName } = this.#options;
    for (const crd of this.#crds)
      expectThat(
        (await this.#ground.read(service, resources.customResourceDefinitions, crd)) === undefined,
        `CRD ${crd.name} is on the ${service.name} already. Delete it if it is left of a run before, or name another --group.`,
      );
    expectThat(
      (await this.#ground.read(service, resources.customResourceDefinitions, {
        name: 'publishedresources.syncagent.kcp.io',
      })) !== undefined,
      `The ${service.name} does not know PublishedResources: install the agent there, and start it.`,
    );
    this.#before = await this.#ground.read<APIExport>(provider, kcp.apiExports, { name: exportName });
    expectThat(
      this.#before !== undefined,
      `There is no APIExport ${exportName} in the workspace of the ${provider.name}: create it, empty, or name another --export.`,
    );
    for (const api of [this.api, this.projectedApi])
      expectThat(
        this.#before.spec?.resources?.some(({ group, name }) => group === api.group && name === api.plural) !== true,
        `APIExport ${exportName} has ${api.plural}.${api.group} already. Take it out if it is left of a run before, or name another --group.`,
      );
    if (amongBindings) return;
    const found = await listAll(service, resources.publishedResources);
    expectThat(
      found.length === 0,
      `The ${service.name} has ${found.length} publishedresources. Run the checks on clusters without users, or pass --among-bindings to run them here.`,
    );
  }

  /** Publishes the first API, with related Secrets in both directions. */
  async begin(): Promise<void> {
    await this.installCrd(this.api);
    await this.publish(this.name, {
      resource: { apiGroup: this.api.group, kind: this.api.kind },
      related: [
        {
          identifier: 'given',
          origin: 'kcp',
          kind: 'Secret',
          object: { reference: { path: 'spec.secret' } },
          watch: { bySelector: {} },
        },
        {
          identifier: 'chosen',
          origin: 'kcp',
          kind: 'Secret',
          object: {
            selector: {
              matchLabels: { [ofLabel]: '{{ .RemoteObject.metadata.name }}' },
              rewrite: { template: { template: '{{ .LocalObject.metadata.name }}-{{ .Value }}' } },
            },
          },
        },
        {
          identifier: 'credentials',
          origin: 'service',
          kind: 'Secret',
          object: { template: { template: '{{ .Object.metadata.name }}-credentials' } },
          watch: { bySelector: {} },
        },
      ],
    });
  }

  async installCrd(api: ProbeApi, schema: ProbeSchema = 'first'): Promise<void> {
    if (api === this.api) this.schemaOfCrd = schema;
    const crd = probeCrd(api, schema);
    await this.#ground.applyObject(this.service, resources.customResourceDefinitions, crd);
    await this.#ground.established(this.service, crd.metadata.name);
  }

  async publish(name: string, spec: PublishedResource['spec']): Promise<void> {
    this.#published.add(name);
    const published: PublishedResource = {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name, labels: this.#options.publishedLabels },
      spec,
    };
    await this.#ground.applyObject(this.service, resources.publishedResources, published);
  }

  async withdraw(name: string): Promise<void> {
    await this.service.delete(resources.publishedResources, { name });
  }

  async published(name = this.name): Promise<PublishedResource> {
    return this.service.get<PublishedResource>(resources.publishedResources, { name });
  }

  /** The schema in the status of a PublishedResource; undefined while there is none. */
  async #schemaNow(name: string): Promise<APIResourceSchema | undefined> {
    const { resourceSchemaName = '' } = (await this.published(name)).status ?? {};
    if (resourceSchemaName === '') return undefined;
    return this.#ground.read<APIResourceSchema>(this.kcp, kcp.apiResourceSchemas, { name: resourceSchemaName });
  }

  async schemaOf(name: string): Promise<APIResourceSchema> {
    const what = `PublishedResource ${name} of the ${this.service.name} has its schema in the ${this.kcp.name}`;
    return this.#ground.until(what, () => this.#schemaNow(name));
  }

  /** The schema of {@link api} made from the current CRD. */
  async currentSchema(): Promise<APIResourceSchema> {
    return this.#ground.until(
      `the CRD ${this.#crds[0]?.name ?? ''} as it stands has a schema in the ${this.kcp.name}`,
      async () => {
        const found = await this.#schemaNow(this.name);
        const further = typeOfSpecField([{ schema: { openAPIV3Schema: found?.spec.versions[0]?.schema } }], 'further');
        return (further !== undefined) === (this.schemaOfCrd === 'wider') ? found : undefined;
      },
    );
  }

  async export(): Promise<APIExport> {
    return this.kcp.get<APIExport>(kcp.apiExports, { name: this.#options.exportName });
  }

  /** Schema of a resource in the export. */
  async exported({ plural, group }: ProbeApi): Promise<string | undefined> {
    const { spec } = await this.export();
    return spec?.resources?.find((each) => each.name === plural && each.group === group)?.schema;
  }

  /** Gives the CRD of {@link api} the other of its two harmless schemas, and waits until the export lists it. */
  async alterSchema(): Promise<APIResourceSchema> {
    await this.installCrd(this.api, this.schemaOfCrd === 'first' ? 'wider' : 'first');
    const schema = await this.currentSchema();
    await this.#ground.until(`the export lists ${schema.metadata.name}`, async () =>
      (await this.exported(this.api)) === schema.metadata.name ? true : undefined,
    );
    return schema;
  }

  /** Claims a resource of the core API as the owner of the export might, by v1alpha1. */
  async claimAll(resource: string): Promise<void> {
    await this.#ground.until(`the export claims ${resource}`, async () => {
      const now = await this.kcp.get<V1alpha1APIExport>(kcp.apiExportsV1alpha1, { name: this.#options.exportName });
      const claims = (now.spec?.permissionClaims ?? []).filter((claim) => claim.resource !== resource);
      const changed: V1alpha1APIExport = {
        ...now,
        spec: { ...now.spec, permissionClaims: [...claims, { group: '', resource, all: true }] },
      };
      await this.kcp.update(kcp.apiExportsV1alpha1, changed);
      return true;
    });
  }

  /** Claims only these verbs, by v1alpha2; no verb removes the claim. */
  async claimVerbs(resource: string, verbs: readonly string[]): Promise<void> {
    await this.#changeExport((spec) => ({
      ...spec,
      permissionClaims: [
        ...(spec.permissionClaims ?? []).filter((claim) => claim.resource !== resource),
        ...(verbs.length === 0 ? [] : [{ group: '', resource, verbs }]),
      ],
    }));
  }

  async claim(resource: string): Promise<PermissionClaim | undefined> {
    return (await this.export()).spec?.permissionClaims?.find((claim) => claim.resource === resource);
  }

  async #changeExport(change: (spec: NonNullable<APIExport['spec']>) => NonNullable<APIExport['spec']>): Promise<void> {
    // The agent writes it, too.
    await this.#ground.until(`APIExport ${this.#options.exportName} is changed`, async () => {
      const now = await this.export();
      const changed: APIExport = { ...now, spec: change(now.spec ?? {}) };
      await this.kcp.update(kcp.apiExports, changed);
      return true;
    });
  }

  /** Whether the API belongs to the checks, whatever group they use. */
  #isOurs({ group, plural }: { readonly group: string; readonly plural: string }): boolean {
    return [this.api, this.projectedApi].some((api) => api.group === group && api.plural === plural);
  }

  async #restoreExport(): Promise<void> {
    const claims = this.#before?.spec?.permissionClaims ?? [];
    await this.#changeExport((spec) => ({
      ...spec,
      resources: (spec.resources ?? []).filter(({ group, name }) => !this.#isOurs({ group, plural: name })),
      permissionClaims: (spec.permissionClaims ?? []).filter(
        ({ group = '', resource }) =>
          claims.some((claim) => (claim.group ?? '') === group && claim.resource === resource) ||
          // Every agent claims them, whatever it publishes.
          (group === '' && resource === 'events'),
      ),
    }));
  }

  async #removeSchemas(removal: Removal): Promise<void> {
    for (const { metadata, spec } of await listAll<APIResourceSchema>(this.kcp, kcp.apiResourceSchemas))
      if (this.#isOurs({ group: spec.group, plural: spec.names.plural }))
        await removal.drop(this.kcp, kcp.apiResourceSchemas, { name: metadata.name });
  }

  /** Removes PublishedResources and CRDs. */
  async remove(removal: Removal): Promise<void> {
    for (const name of this.#published) await removal.drop(this.service, resources.publishedResources, { name });
    for (const crd of this.#crds) await removal.drop(this.service, resources.customResourceDefinitions, crd);
  }

  /** Restores the export as it was, without new schemas in the workspace. */
  async restore(removal: Removal): Promise<void> {
    await removal.attempt(`what is exported of the ${this.kcp.name}`, () => this.#restoreExport());
    await removal.attempt(`schemas of the ${this.kcp.name}`, () => this.#removeSchemas(removal));
  }
}
