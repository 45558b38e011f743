import { StatusError } from '@hawser/apiserver';
import type { Offer } from '@hawser/bind';
import { type Client, type KubeObject, createClient, isApiError } from '@hawser/client';
import { consumerRoles } from '@hawser/exportrbac';
import { ensure, requestExport } from '@hawser/installation';
import type { JsonObject } from '@hawser/json';
import {
  type APIServiceExport,
  type ClusterBinding,
  kubeBindDialect,
  type PermissionClaim,
  clusterNamespaceName,
  conditionTypes,
  fixedNames,
  getCondition,
  hawserAnnotations,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { addSchemaDecision, schemaStandings } from '@hawser/propagation';
import type { ApiSchemas } from './api-schemas.js';
import type { Model } from './model.js';
import { type Names, extraOf } from './names.js';
import { crdOf, schemaOf } from './sample.js';
import { SECRETS, claimOn } from './secret-sample.js';
import { type Settings, tiers } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface ProviderSiteParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly settings: Settings;
  readonly schemas: ApiSchemas;
  readonly cluster: () => SimCluster;
  /** Index of the binding for its API. */
  readonly binding: number;
  /** Model of users' claimed Secrets, if providers claim them. */
  readonly credentials: Model;
  /** Identity of the current consumer cluster. */
  readonly consumerIdentity: () => string | undefined;
}

const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const CLUSTER_BINDINGS = { group: 'kube-bind.io', resource: 'clusterbindings' };
const EXPORTS = { group: 'kube-bind.io', resource: 'apiserviceexports' };
const EXPORT_REQUESTS = { group: 'kube-bind.io', resource: 'apiserviceexportrequests' };
const SERVICE_NAMESPACES = { group: 'kube-bind.io', resource: 'apiservicenamespaces' };
const REQUESTS = { group: 'kube-bind.io', resource: 'bindableresourcesrequests' };
const STEPS = tiers
  .slice(0, -1)
  .map((tier) => `tier=${tier}`)
  .join('; ');
/** Namespace of onboarding requests. */
const HOME = 'onboarding';
/** Default of the provider role. */
const PREFIX = 'cluster-';
const LOOK_EVERY_MS = 500;

/** The cluster namespace of a consumer, by its identity. */
export function clusterNamespaceOf(identity: string): string {
  return clusterNamespaceName(PREFIX, identity);
}

/**
 * Work of one provider's people: install their APIs, let consumers in, judge schema changes, and replace or revoke
 * credentials. They do it as soon as the cluster allows, and again after a backup.
 */
export class ProviderSite {
  readonly #parts: ProviderSiteParts;
  readonly #client: Client;
  #revoked = false;
  #replacements = 0;
  #approving = false;
  #offersExtra: boolean;
  /** Time of the last restore. Contents from before are uncertain. */
  #restoredAt = -Infinity;

  constructor(parts: ProviderSiteParts) {
    this.#parts = parts;
    this.#offersExtra = parts.settings.bundle !== 'None';
    const { administrator, direct, name } = parts.cluster();
    this.#client = createClient({
      name,
      connection: administrator,
      dispatcher: direct,
      clock: parts.time,
      random: () => 0.5,
    });
  }

  /** Resolves once both consumers are onboarded, and have an export. */
  async setUp(): Promise<void> {
    const { time, names, settings, binding: index } = this.#parts;
    const binding = names.bindings[index]!;
    const api = { group: binding.group, plural: binding.plural, kind: binding.kind, scope: 'Namespaced' } as const;
    await installCRDs(this.#client, providerCRDs, { clock: time, random: () => 0.5 });
    const extra = settings.bundle === 'None' ? undefined : extraOf(binding);
    for (const role of consumerRoles(
      [api, ...(extra === undefined ? [] : [extra])].map(({ group, plural }) => ({ group, resource: plural })),
      kubeBindDialect,
    ))
      await ensure(this.#client, resources.clusterRoles, { ...role });
    await ensure(this.#client, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } });
    this.reapply();
    const claims = settings.claims ? [claimOn(binding)] : undefined;
    if (settings.admission === 'Template') await this.#offer(binding.name, api, claims);
    if (settings.admission === 'Template' && extra !== undefined)
      await this.#offer(extra.name, { ...extra, scope: 'Namespaced' });
    for (const identity of names.consumers) {
      await ensure(this.#client, resources.bindableResourcesRequests, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { name: identity, namespace: HOME },
        spec: { author: 'jane', clusterIdentity: { identity, prettyName: identity } },
      } as KubeObject);
    }
    for (const identity of names.consumers) {
      while (!this.#isOnboarded(identity))
        await new Promise<void>((resolve) => {
          time.setTimeout(resolve, LOOK_EVERY_MS);
        });
      await requestExport(this.#client, clusterNamespaceOf(identity), binding.name, [api], claims);
    }
    this.reapply();
  }

  /** The consumer's current kubeconfig from the provider; undefined: none. */
  kubeconfig(): string | undefined {
    const cluster = this.#parts.cluster();
    if (!cluster.up || this.#revoked || this.#isStillRevoked(cluster)) return undefined;
    const secret = cluster.objects.get(SECRETS, {
      namespace: this.#clusterNamespace,
      name: fixedNames.providerKubeconfigSecret,
    }) as { readonly data?: Readonly<Record<string, string>> } | undefined;
    return secret?.data?.[fixedNames.kubeconfigKey];
  }

  /** Name for binding the offer of this provider. */
  offer(): Offer {
    const { names, settings, binding } = this.#parts;
    const { name, group, plural } = names.bindings[binding]!;
    return settings.admission === 'Template' && settings.claims
      ? { kind: 'template', name }
      : { kind: 'resources', resources: [{ group, resource: plural, versions: ['v1'] }] };
  }

  revoke(): void {
    this.#revoked = true;
    this.reapply();
  }

  /** Gives the consumer access again. */
  restore(): void {
    this.#revoked = false;
    this.reapply();
  }

  replaceToken(): void {
    this.#replacements++;
    this.reapply();
  }

  /** Whether consumers may have an additional offer now. */
  get offersExtra(): boolean {
    return this.#offersExtra;
  }

  /**
   * Time for which the consumer could have seen an export of the additional offer; 0 while there is none, or none is
   * visible.
   */
  get extraStandsForMs(): number {
    const { time, names, binding, cluster } = this.#parts;
    const { up, objects } = cluster();
    const current = up
      ? objects.get(EXPORTS, { namespace: this.#clusterNamespace, name: extraOf(names.bindings[binding]!).name })
      : undefined;
    if (current === undefined) return 0;
    const { creationTimestamp } = (current as JsonObject & APIServiceExport).metadata;
    return Math.min(time.now() - Date.parse(creationTimestamp ?? ''), time.monotonic() - this.#restoredAt);
  }

  withdraw(): void {
    this.#offersExtra = false;
    this.reapply();
  }

  offerAgain(): void {
    this.#offersExtra = true;
    this.reapply();
  }

  /** The cluster has an older state again. Later bindings of consumers may be missing. */
  isRestored(): void {
    this.#restoredAt = this.#parts.time.monotonic();
    this.reapply();
  }

  /** A person deletes the object that gives the consumer a namespace here. */
  dropNamespace(name: string): void {
    const { up, objects } = this.#parts.cluster();
    const key = { namespace: this.#clusterNamespace, name };
    if (up && objects.serves(SERVICE_NAMESPACES) && objects.get(SERVICE_NAMESPACES, key) !== undefined)
      objects.delete(SERVICE_NAMESPACES, key);
  }

  /** Corrects all differences from the wishes here. */
  reapply(): void {
    const cluster = this.#parts.cluster();
    if (!cluster.up) return;
    try {
      this.#applyCrd(cluster);
      if (!cluster.serves(CLUSTER_BINDINGS)) return;
      for (const identity of this.#parts.names.consumers) this.#applyCredential(cluster, identity);
      this.#removeLeftSecrets(cluster);
      if (this.#parts.settings.bundle !== 'None') this.#applyExtra(cluster);
    } catch (error) {
      // Another writer was faster, or it is too early.
      if (!(error instanceof StatusError)) throw error;
    }
    if (
      cluster.serves(EXPORTS) &&
      !this.#parts.schemas.undecided(this.#parts.binding) &&
      cluster.objects.list(EXPORTS).some(isHeld)
    )
      void this.#approve();
  }

  #applyCrd({ objects }: SimCluster): void {
    const { schemas, names, settings, binding } = this.#parts;
    const { plural, group } = names.bindings[binding]!;
    const wanted = schemas.of(binding);
    const current = objects.get(CRDS, { namespace: '', name: `${plural}.${group}` });
    if (current === undefined) {
      objects.create(
        CRDS,
        crdOf(names.bindings[binding]!, wanted, { rollout: settings.rollout.length === 0 ? undefined : STEPS }),
      );
      return;
    }
    const { fields, limit } = schemaOf(current);
    if (fields !== wanted.fields || limit !== wanted.limit)
      objects.update(CRDS, { ...current, spec: crdOf(names.bindings[binding]!, wanted)['spec'] ?? {} });
  }

  /** For the consumer alone. Requests anew what was requested once and is missing. */
  #applyExtra({ objects }: SimCluster): void {
    const { names, binding } = this.#parts;
    const extra = extraOf(names.bindings[binding]!);
    const { name, group, plural } = extra;
    if (objects.get(CRDS, { namespace: '', name: `${plural}.${group}` }) === undefined)
      objects.create(CRDS, crdOf(extra, { fields: 0, limit: 1 }));
    const key = { namespace: this.#clusterNamespace, name };
    if (!this.#isOnboarded(names.consumers[0])) return;
    const isThere = objects.get(EXPORTS, key) !== undefined;
    const request = objects.get(EXPORT_REQUESTS, key) as { readonly status?: { readonly phase?: string } } | undefined;
    const isStale = request?.status?.phase === 'Succeeded' && !isThere;
    if (request !== undefined && (isStale || !this.#offersExtra)) objects.delete(EXPORT_REQUESTS, key);
    if (!this.#offersExtra && isThere) objects.delete(EXPORTS, key);
    if (!this.#offersExtra || isThere || (request !== undefined && !isStale)) return;
    objects.create(EXPORT_REQUESTS, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: key,
      spec: { resources: [{ group, resource: plural, versions: ['v1'] }] },
    });
  }

  #applyCredential({ objects }: SimCluster, identity: string): void {
    const { names, settings } = this.#parts;
    const current = objects.get(CLUSTER_BINDINGS, {
      namespace: clusterNamespaceOf(identity),
      name: fixedNames.clusterBinding,
    }) as (JsonObject & ClusterBinding) | undefined;
    if (current === undefined) return;
    const isOurs = identity === names.consumers[0];
    const tier = settings.rollout[names.consumers.indexOf(identity)];
    const labels =
      tier === undefined || tier === 'rest' ? current.metadata.labels : { ...current.metadata.labels, tier };
    const {
      [hawserAnnotations.revokeCredential]: revoked,
      [hawserAnnotations.replaceCredential]: replaced,
      [hawserAnnotations.credential]: mode,
      ...others
    } = current.metadata.annotations ?? {};
    const replacement = isOurs && this.#replacements > 0 ? String(this.#replacements) : undefined;
    if (
      mode === settings.credential &&
      labels?.['tier'] === current.metadata.labels?.['tier'] &&
      replaced === replacement &&
      (revoked !== undefined) === (isOurs && this.#revoked)
    )
      return;
    const annotations = {
      ...others,
      [hawserAnnotations.credential]: settings.credential,
      ...(replacement === undefined ? {} : { [hawserAnnotations.replaceCredential]: replacement }),
      ...(isOurs && this.#revoked ? { [hawserAnnotations.revokeCredential]: 'leaked' } : {}),
    };
    objects.update(
      CLUSTER_BINDINGS,
      {
        ...current,
        metadata: { ...current.metadata, ...(labels === undefined ? {} : { labels }), annotations },
      } as JsonObject,
      { fieldManager: 'operator' },
    );
  }

  /**
   * If consumers share namespaces, copies of a lost consumer cluster block those of its successor, and only people can
   * tell.
   */
  #removeLeftSecrets({ objects }: SimCluster): void {
    const { settings, credentials, consumerIdentity } = this.#parts;
    const identity = consumerIdentity();
    if (!settings.claims || settings.isolation !== 'None' || identity === undefined) return;
    for (const {
      metadata: { name, namespace, annotations = {} },
    } of objects.list(SECRETS) as unknown as readonly KubeObject[]) {
      const slot = credentials.named(name);
      const isOf = annotations[hawserAnnotations.consumerIdentity];
      if (slot === undefined || isOf === undefined || isOf === identity) continue;
      credentials.copyIsRemoved(slot.object);
      objects.delete(SECRETS, { namespace: namespace ?? '', name });
    }
  }

  /** Approves all waiting schemas. */
  async #approve(): Promise<void> {
    if (this.#approving) return;
    this.#approving = true;
    try {
      for (const { namespace, export: name, candidate, approvable } of await schemaStandings(this.#client, {
        dialect: kubeBindDialect,
      })) {
        if (approvable && candidate !== undefined && !this.#parts.schemas.undecided(this.#parts.binding))
          await addSchemaDecision(this.#client, 'approve', { namespace, name }, [candidate]);
      }
    } catch (error) {
      // The export has changed meanwhile: the next look shows.
      if (!isApiError(error)) throw error;
    } finally {
      this.#approving = false;
    }
  }

  /** Makes an offer with the API that everyone may bind. */
  async #offer(
    name: string,
    { group, plural, scope }: { readonly group: string; readonly plural: string; readonly scope: string },
    claims: readonly PermissionClaim[] = [],
  ): Promise<void> {
    const rbac = 'rbac.authorization.k8s.io';
    await ensure(this.#client, resources.apiServiceExportTemplates, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportTemplate',
      metadata: { name },
      spec: {
        scope,
        resources: [{ group, resource: plural, versions: ['v1'] }],
        ...(claims.length === 0 ? {} : { permissionClaims: claims }),
      },
    } as KubeObject);
    await ensure(this.#client, resources.clusterRoles, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: `bind-${name}` },
      rules: [
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates'],
          resourceNames: [name],
          verbs: ['bind', 'get'],
        },
      ],
    } as KubeObject);
    await ensure(this.#client, resources.clusterRoleBindings, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `bind-${name}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `bind-${name}` },
      subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:serviceaccounts' }],
    } as KubeObject);
  }

  #isOnboarded(identity: string): boolean {
    const request = this.#parts.cluster().objects.get(REQUESTS, { namespace: HOME, name: identity }) as
      { readonly status?: { readonly phase?: string } } | undefined;
    return request?.status?.phase === 'Succeeded';
  }

  #isStillRevoked({ objects }: SimCluster): boolean {
    const binding = objects.get(CLUSTER_BINDINGS, {
      namespace: this.#clusterNamespace,
      name: fixedNames.clusterBinding,
    }) as (JsonObject & ClusterBinding) | undefined;
    return getCondition(binding?.status?.conditions, conditionTypes.credentialExpiring)?.reason === 'CredentialRevoked';
  }

  get #clusterNamespace(): string {
    return clusterNamespaceOf(this.#parts.names.consumers[0]);
  }
}

function isHeld(object: JsonObject): boolean {
  return (
    getCondition((object as JsonObject & APIServiceExport).status?.conditions, conditionTypes.schemaUpdateHeld)
      ?.status === 'True'
  );
}
