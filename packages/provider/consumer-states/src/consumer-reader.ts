import { type Client, type KubeObject, isForbidden, isNotFound, listAll, objectKey } from '@hawser/client';
import { type APIServiceExportTemplate as KlutchTemplate, klutchDialect, labels as klutchLabels } from '@hawser/klutch';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type BindableResourcesRequest,
  type ClusterBinding,
  type Dialect,
  annotations,
  resourceGroupName,
  resources,
  wantsApproval,
} from '@hawser/kube-bind';
import { type BindingFacts, type ConsumerFacts, bindingsOf } from './binding-facts.js';
import type { Spoken } from './dialect-clients.js';
import { ownerOf } from './owner.js';

/** One consumer with its bindings. */
export interface ConsumerBindings {
  readonly consumer: ConsumerFacts;
  readonly bindings: readonly BindingFacts[];
}

/** A template in any dialect. */
export interface Offer {
  readonly dialect: Dialect['name'];
  /** Key in approvals and grants: `<name>`, in Klutch `<namespace>/<name>`. */
  readonly key: string;
  /** `<plural>.<group>` */
  readonly resources: readonly string[];
  readonly wantsApproval: boolean;
}

/** The provider's knowledge of all consumers. */
export interface AllConsumers {
  readonly consumers: readonly ConsumerBindings[];
  readonly offers: readonly Offer[];
}

/** Page size: there may be thousands, and pages are sequential. */
const PAGE = 2_000;

export interface ReadConsumersOptions {
  /** Namespace of requests for consumers; undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
  /**
   * Called with a resource that the credential may not read, or the cluster does not serve, except ClusterBindings and
   * exports: its objects are omitted. Absent: that is a failure.
   */
  readonly leaveOut?: ((resource: string) => void) | undefined;
}

/** Reads all consumers at once: one list per kind and dialect. Only reads. @throws {ApiError} */
export async function readConsumers(
  client: Pick<Client, 'name' | 'list'>,
  spoken: readonly Spoken[],
  options: ReadConsumersOptions,
): Promise<AllConsumers> {
  const { namespace, signal } = options;
  const besides = { ...(namespace === undefined ? {} : { namespace }), signal };
  const [namespaces, asked, all] = await Promise.all([
    listAll<KubeObject>(client, resources.namespaces, { representation: 'metadata', signal }),
    optional(options, 'BindableResourcesRequests', () =>
      listAll<BindableResourcesRequest>(client, resources.bindableResourcesRequests, besides),
    ),
    Promise.all(spoken.map((one) => readDialect(one, options))),
  ]);
  const namespaceBy = new Map(namespaces.map((one) => [one.metadata.name, one]));
  const askedBy = new Map(asked.map((one) => [one.status?.namespace ?? '', one]));
  const consumers = all.flatMap(({ dialect, bindings, exports, requests }) =>
    bindings.map((clusterBinding): ConsumerBindings => {
      const { namespace: at = '' } = clusterBinding.metadata;
      const home = namespaceBy.get(at);
      const consumer = consumerOf(dialect, clusterBinding, home, dialect.name === 'klutch' ? home : askedBy.get(at));
      return { consumer, bindings: bindingsOf(consumer, requests.get(at) ?? [], exports.get(at) ?? []) };
    }),
  );
  return { consumers, offers: all.flatMap(({ offers }) => offers) };
}

async function readDialect(
  { dialect, client }: Spoken,
  options: ReadConsumersOptions,
): Promise<{
  readonly dialect: Dialect;
  readonly bindings: readonly ClusterBinding[];
  readonly exports: ReadonlyMap<string, readonly APIServiceExport[]>;
  readonly requests: ReadonlyMap<string, readonly APIServiceExportRequest[]>;
  readonly offers: readonly Offer[];
}> {
  const { signal } = options;
  const [bindings, exports, requests, offers] = await Promise.all([
    listAll<ClusterBinding>(client, resources.clusterBindings, { signal }),
    listAll<APIServiceExport>(client, resources.apiServiceExports, { limit: PAGE, signal }),
    optional(options, 'APIServiceExportRequests', () =>
      listAll<APIServiceExportRequest>(client, resources.apiServiceExportRequests, { limit: PAGE, signal }),
    ),
    optional(options, 'APIServiceExportTemplates', () =>
      dialect.name === 'klutch' ? readKlutchOffers(client, signal) : readOffers(client, signal),
    ),
  ]);
  return { dialect, bindings, exports: byNamespace(exports), requests: byNamespace(requests), offers };
}

async function optional<T>(
  { leaveOut }: ReadConsumersOptions,
  resource: string,
  read: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (leaveOut === undefined || !(isForbidden(error) || isNotFound(error))) throw error;
    leaveOut(resource);
    return [];
  }
}

async function readOffers(client: Pick<Client, 'name' | 'list'>, signal: AbortSignal): Promise<readonly Offer[]> {
  const found = await listAll<APIServiceExportTemplate>(client, resources.apiServiceExportTemplates, { signal });
  return found.map((template) => ({
    dialect: 'kube-bind',
    key: template.metadata.name,
    resources: template.spec.resources.map(resourceGroupName),
    wantsApproval: wantsApproval(template),
  }));
}

async function readKlutchOffers(client: Pick<Client, 'name' | 'list'>, signal: AbortSignal): Promise<readonly Offer[]> {
  const kind = klutchDialect.resources.apiServiceExportTemplates;
  const found = await listAll<KlutchTemplate>(client, kind, { signal });
  return found.map((template) => ({
    dialect: 'klutch',
    key: objectKey(template),
    resources: [resourceGroupName(template.spec.APIServiceSelector)],
    wantsApproval: wantsApproval(template),
  }));
}

/** `owned`: the object with the owner's annotations. */
function consumerOf(
  { name: dialect, identityAnnotations }: Dialect,
  clusterBinding: ClusterBinding,
  namespaceObject: KubeObject | undefined,
  owned: KubeObject | undefined,
): ConsumerFacts {
  const { namespace = '', annotations: own = {} } = clusterBinding.metadata;
  const words: Readonly<Record<string, string | undefined>> = { ...own, ...namespaceObject?.metadata.annotations };
  const identity = identityAnnotations.map((key) => words[key]).find((text) => text !== undefined) ?? namespace;
  const prettyName = appClusterBindingOf(clusterBinding) ?? words[annotations.clusterPrettyName] ?? identity;
  return {
    dialect,
    namespace,
    cluster: { identity, prettyName },
    owner: owned === undefined ? '' : ownerOf(owned),
    namespaceObject,
    clusterBinding,
  };
}

/** For an app cluster served by a konnector beside the provider: `<namespace>/<name>` of its AppClusterBinding. */
function appClusterBindingOf({ metadata: { labels = {} } }: ClusterBinding): string | undefined {
  const { [klutchLabels.appClusterBindingNamespace]: namespace, [klutchLabels.appClusterBindingName]: name } = labels;
  return namespace === undefined || name === undefined ? undefined : `${namespace}/${name}`;
}

function byNamespace<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '');
}
