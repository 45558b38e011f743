import { type ObjectChange, StatusError } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient, isApiError } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  annotations,
  conditionTypes,
  fixedNames,
  isConditionTrue,
  isWithdrawn,
  resources,
} from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { type Binding, namespaces } from './names.js';
import { clusterNamespaceOf } from './provider-site.js';
import { SECRETS, claimOn } from './secret-sample.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export const attemptWays = [
  /** Recreates its answered request to get every change of the schema. */
  'all-changes',
  /** Reports the API as unbound, and takes that back once no template offers the API any more. */
  'comes-back',
  /** Requests more namespaces than it may have. */
  'many-namespaces',
  /** Requests namespaces of the provider, or of another consumer. */
  'reserved-namespaces',
] as const;
export type AttemptWay = (typeof attemptWays)[number];

export interface HostileConsumerParts {
  readonly time: VirtualTime;
  readonly settings: Pick<Settings, 'admission' | 'claims' | 'isolation'>;
  readonly cluster: () => SimCluster;
  /** The API that it has from the provider. */
  readonly binding: Binding;
  /** Identities of the hostile consumer and of another one. */
  readonly identity: string;
  readonly other: string;
  readonly find: (findings: Iterable<{ readonly invariant: string; readonly what: string }>) => void;
  /** An attempt threw an error that no API server sent. */
  readonly fail: (error: unknown) => void;
}

const apiVersion = 'kube-bind.io/v1alpha2';
const TEMPLATES = { group: 'kube-bind.io', resource: 'apiserviceexporttemplates' };
const REQUESTS = { group: 'kube-bind.io', resource: 'apiserviceexportrequests' };
const EXPORTS = { group: 'kube-bind.io', resource: 'apiserviceexports' };
const SERVICE_NAMESPACES = { group: 'kube-bind.io', resource: 'apiservicenamespaces' };
const NAMESPACES = { group: '', resource: 'namespaces' };
/** Number of requested namespaces, and number that a consumer may have. */
const MANY = 16;
export const MOST_NAMESPACES = 8;
const RESERVED: readonly string[] = ['monitoring', 'kube-vault', 'klutch-bind-apps-shop'];
const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 60_000;
/** Longer than any cache takes to learn of a change, whatever happens to its watch. */
const UNHEARD_MS = 5 * 60_000;

/** A consumer of one provider that requests more than it was given, by allowed requests. Checks all that it gets. */
export class HostileConsumer {
  readonly #parts: HostileConsumerParts;
  readonly #home: string;
  #busy = false;
  /** The removed template, and the time of its removal. */
  #template: { readonly object: JsonObject; readonly awaySince: number | undefined } | undefined;

  constructor(parts: HostileConsumerParts) {
    this.#parts = parts;
    this.#home = clusterNamespaceOf(parts.identity);
    parts.cluster().onChange((change) => {
      parts.find(this.#look(change));
    });
  }

  attempt(way: AttemptWay, forMs: number): void {
    const isAboutTemplates = way === 'all-changes' || way === 'comes-back';
    if (this.#busy || (isAboutTemplates && this.#parts.settings.admission === 'Exported')) return;
    this.#busy = true;
    const { time, fail } = this.#parts;
    const endsAt = time.monotonic() + forMs;
    void this.#try(way, endsAt)
      .catch((error: unknown) => {
        if (!isApiError(error)) fail(error);
      })
      .then(() => this.#sleep(endsAt - time.monotonic()))
      .then(() => {
        if (this.#template !== undefined) this.#template = { object: this.#template.object, awaySince: undefined };
        this.#busy = false;
        this.reapply();
      });
  }

  /** Between attempts, nothing is left of them. */
  reapply(): void {
    const cluster = this.#parts.cluster();
    if (this.#busy || !cluster.up || !cluster.serves(TEMPLATES)) return;
    try {
      this.#tidy(cluster);
    } catch (error) {
      // Another writer was faster.
      if (!(error instanceof StatusError)) throw error;
    }
  }

  async #try(way: AttemptWay, endsAt: number): Promise<void> {
    const client = this.#client();
    if (client === undefined) return;
    const { group, name, plural } = this.#parts.binding;
    try {
      switch (way) {
        case 'all-changes':
          await client.delete(resources.apiServiceExportRequests, { namespace: this.#home, name });
          await client.create(resources.apiServiceExportRequests, {
            apiVersion,
            kind: 'APIServiceExportRequest',
            metadata: { name, namespace: this.#home },
            spec: { resources: [{ group, resource: plural, versions: ['v1'] }], schemaUpdatePolicy: 'Always' },
          } as KubeObject);
          return;
        case 'comes-back':
          await this.#comeBack(client, endsAt);
          return;
        case 'many-namespaces':
          await this.#askForNamespaces(
            client,
            Array.from({ length: MANY }, (_, index) => `team-x${index}`),
          );
          return;
        case 'reserved-namespaces':
          await this.#askForNamespaces(client, [
            ...RESERVED,
            `${clusterNamespaceOf(this.#parts.other)}-${namespaces[0]}`,
          ]);
      }
    } finally {
      await client.close();
    }
  }

  async #comeBack(client: Client, endsAt: number): Promise<void> {
    const {
      time,
      binding: { name },
    } = this.#parts;
    const key = { namespace: this.#home, name };
    const reportUnbound = (status: 'False' | 'True'): Promise<unknown> =>
      client.patch(
        resources.apiServiceExports,
        key,
        { type: 'merge', patch: { status: { conditions: [this.#unbound(status)] } } },
        { subresource: 'status' },
      );
    await reportUnbound('True');
    for (
      const end = time.monotonic() + PATIENCE_MS;
      !isWithdrawn((await client.get<APIServiceExport>(resources.apiServiceExports, key)).metadata);
    ) {
      if (time.monotonic() > end) return;
      await this.#sleep(LOOK_EVERY_MS);
    }
    if (!this.#takeTemplateAway()) return;
    await this.#sleep(UNHEARD_MS + 1_000);
    if (time.monotonic() < endsAt) await reportUnbound('False');
  }

  #unbound(status: 'False' | 'True'): {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime: string;
  } {
    return { type: conditionTypes.unbound, status, lastTransitionTime: new Date(this.#parts.time.now()).toISOString() };
  }

  /** The provider withdraws its offer. */
  #takeTemplateAway(): boolean {
    const {
      time,
      cluster,
      binding: { name },
    } = this.#parts;
    const { up, objects } = cluster();
    const found = up ? objects.get(TEMPLATES, { namespace: '', name }) : undefined;
    if (found === undefined) return false;
    this.#template = {
      object: { apiVersion, kind: 'APIServiceExportTemplate', metadata: { name }, spec: found['spec'] ?? {} },
      awaySince: time.monotonic(),
    };
    objects.delete(TEMPLATES, { namespace: '', name });
    return true;
  }

  async #askForNamespaces(client: Client, names: readonly string[]): Promise<void> {
    for (const name of names)
      await client.create(resources.apiServiceNamespaces, {
        apiVersion,
        kind: 'APIServiceNamespace',
        metadata: { name, namespace: this.#home },
        spec: {},
      } as KubeObject);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.time.setTimeout(resolve, Math.max(0, ms));
    });
  }

  /** Uses the kubeconfig from its provider, without a network that could be slow. */
  #client(): Client | undefined {
    const { name, up, objects, direct } = this.#parts.cluster();
    const secret = up
      ? (objects.get(SECRETS, { namespace: this.#home, name: fixedNames.providerKubeconfigSecret }) as
          { readonly data?: Readonly<Record<string, string>> } | undefined)
      : undefined;
    const read = parseSecretKubeconfig(
      Buffer.from(secret?.data?.[fixedNames.kubeconfigKey] ?? '', 'base64').toString(),
    );
    return read.ok
      ? createClient({
          name,
          connection: read.connection,
          dispatcher: direct,
          clock: this.#parts.time,
          random: () => 0.5,
        })
      : undefined;
  }

  /** Restores the provider's offer and the consumer's request. */
  #tidy({ objects }: SimCluster): void {
    const { binding, settings } = this.#parts;
    const { name, group, plural } = binding;
    const key = { namespace: this.#home, name };
    if (this.#template !== undefined && objects.get(TEMPLATES, { namespace: '', name }) === undefined)
      objects.create(TEMPLATES, this.#template.object);
    for (const { metadata } of objects.list(SERVICE_NAMESPACES) as unknown as readonly KubeObject[]) {
      const isLeft =
        metadata.namespace === this.#home &&
        metadata.deletionTimestamp === undefined &&
        !(namespaces as readonly string[]).includes(metadata.name);
      if (isLeft) objects.delete(SERVICE_NAMESPACES, { namespace: this.#home, name: metadata.name });
    }
    const found = objects.get(EXPORTS, key) as (JsonObject & APIServiceExport) | undefined;
    // The setup of the provider has already requested a missing one.
    if (found === undefined) return;
    if (isConditionTrue(found.status?.conditions, conditionTypes.unbound)) {
      const conditions = (found.status?.conditions ?? []).filter(({ type }) => type !== conditionTypes.unbound);
      objects.update(EXPORTS, { ...found, status: { ...found.status, conditions } } as unknown as JsonObject, {
        subresource: 'status',
      });
    }
    const request = objects.get(REQUESTS, key) as (JsonObject & APIServiceExportRequest) | undefined;
    if (request?.spec.schemaUpdatePolicy === 'Always') objects.delete(REQUESTS, key);
    if (request !== undefined && request.spec.schemaUpdatePolicy !== 'Always') return;
    const claims = settings.claims ? { permissionClaims: [claimOn(binding)] } : {};
    objects.create(REQUESTS, {
      apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: key,
      spec: { resources: [{ group, resource: plural, versions: ['v1'] }], ...claims },
    });
  }

  *#look({
    type,
    resource,
    key,
    object,
    previous,
  }: ObjectChange): Generator<{ readonly invariant: string; readonly what: string }> {
    if (type === 'DELETED') return;
    if (resource.resource === 'namespaces' && resource.group === '')
      yield* consumersHaveTheirNamespaces(this.#home, key.name, this.#namespaces());
    if (key.namespace !== this.#home) return;
    if (resource.resource === 'apiservicenamespaces')
      yield* this.#lookAtAssigned((object as JsonObject & APIServiceNamespace).status?.namespace ?? '');
    if (
      resource.resource === 'apiserviceexports' &&
      key.name === this.#parts.binding.name &&
      previous !== undefined &&
      isWithdrawn((previous as JsonObject & APIServiceExport).metadata)
    )
      yield* this.#lookAtExport(object as JsonObject & APIServiceExport);
  }

  *#lookAtAssigned(name: string): Generator<{ readonly invariant: string; readonly what: string }> {
    const isItsOwn =
      this.#parts.settings.isolation === 'None' ? name.startsWith('team-') : name.startsWith(`${this.#home}-`);
    if (name !== '' && !isItsOwn)
      yield {
        invariant: 'consumers have their own namespaces',
        what: `namespace ${name} is assigned to ${this.#home}`,
      };
  }

  *#lookAtExport({ metadata }: APIServiceExport): Generator<{ readonly invariant: string; readonly what: string }> {
    const { time, cluster } = this.#parts;
    const awaySince = this.#template?.awaySince;
    const isAway =
      awaySince !== undefined &&
      time.monotonic() - awaySince > UNHEARD_MS &&
      cluster().objects.get(TEMPLATES, { namespace: '', name: metadata.name }) === undefined;
    if (isAway && !isWithdrawn(metadata))
      yield {
        invariant: 'exports come back as they are given',
        what: `export ${metadata.name} of ${this.#home} is given back, and no template offers it any more`,
      };
  }

  #namespaces(): number {
    return (this.#parts.cluster().objects.list(NAMESPACES) as unknown as readonly KubeObject[]).filter(
      ({ metadata }) => metadata.annotations?.[annotations.apiServiceNamespace]?.startsWith(`${this.#home}/`) === true,
    ).length;
  }
}

function* consumersHaveTheirNamespaces(
  home: string,
  name: string,
  made: number,
): Generator<{ readonly invariant: string; readonly what: string }> {
  if (RESERVED.includes(name))
    yield { invariant: 'consumers have their own namespaces', what: `namespace ${name} was made for a consumer` };
  if (made > MOST_NAMESPACES)
    yield {
      invariant: 'consumers have their own namespaces',
      what: `${made} namespaces were made for ${home}, which may have ${MOST_NAMESPACES}`,
    };
}
