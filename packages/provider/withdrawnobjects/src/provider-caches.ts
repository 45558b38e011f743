import { type Client, getIfExists, isTerminating, type KubeObject } from '@hawser/client';
import type { Setup, Watched } from '@hawser/controller';
import type { APIServiceExportTemplate as InlineTemplate } from '@hawser/klutch';
import {
  type APIServiceNamespace,
  type ClusterBinding,
  controllerName,
  type CustomResourceDefinition,
  type Dialect,
  labels,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { belongingOf, ownerOf, type CopyNamespace, copyNamespacesOf } from './belonging.js';
import type { ExportObject } from './export-object.js';

/** Cached state of the provider's cluster. */
export class ProviderCaches {
  readonly exports: Watched<ExportObject>;
  readonly clusterBindings: Watched<ClusterBinding>;
  readonly #client: Client;
  readonly #dialect: Dialect;
  readonly #byConsumer: string;
  readonly #serviceNamespaces: Watched<APIServiceNamespace>;
  readonly #namespaces: Watched<KubeObject>;
  readonly #offers: Offers;

  constructor(setup: Setup<'provider'>, dialect: Dialect) {
    const { clusters, watch } = setup;
    const { provider } = clusters;
    const { resources: kinds } = dialect;
    this.#client = provider.client;
    this.#dialect = dialect;
    this.#byConsumer = `${controllerName('withdrawnobjects', dialect)}/consumer`;
    this.exports = watch<ExportObject>(
      provider,
      { resource: kinds.apiServiceExports, kind: 'APIServiceExport' },
      ({ metadata }) => metadata.namespace,
    );
    // Finds a consumer whose export was deleted while this process did not run. Heartbeats do not matter here.
    this.clusterBindings = watch<ClusterBinding>(
      provider,
      { resource: kinds.clusterBindings, kind: 'ClusterBinding' },
      ({ metadata }) => metadata.namespace,
      { changed: () => false, priority: 'background' },
    );
    this.#serviceNamespaces = watch<APIServiceNamespace>(
      provider,
      { resource: kinds.apiServiceNamespaces, kind: 'APIServiceNamespace' },
      () => [],
    );
    this.#namespaces = watch(
      provider,
      { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
      () => [],
    );
    this.#namespaces.addIndex(this.#byConsumer, ({ metadata }) =>
      present(consumerOf(ownerOf(dialect, metadata.annotations))),
    );
    this.#offers = offersOf(setup, dialect);
  }

  /** Whether the cluster namespace is gone or terminating. */
  namespaceEnds(clusterNamespace: string): boolean {
    const namespace = this.#namespaces.get(clusterNamespace);
    return namespace === undefined || isTerminating(namespace);
  }

  /** The ClusterBinding of a consumer; undefined: gone or terminating. */
  bindingOf(clusterNamespace: string): ClusterBinding | undefined {
    const key = { namespace: clusterNamespace, name: this.#dialect.names.clusterBinding };
    const binding = this.clusterBindings.get(key);
    return binding === undefined || isTerminating(binding) ? undefined : binding;
  }

  /** Names of the CRDs that the provider exports. */
  offered(): readonly string[] {
    return this.#offers.names();
  }

  /** The CRD of a resource; reads it live if it is no longer exported. @throws {ApiError} of a read that fails */
  async crdOf(resource: string, signal: AbortSignal): Promise<CustomResourceDefinition | undefined> {
    return (
      this.#offers.get(resource) ??
      (await getIfExists<CustomResourceDefinition>(
        this.#client,
        resources.customResourceDefinitions,
        { name: resource },
        { signal },
      ))
    );
  }

  /** The namespaces in which the consumer can have copies. */
  copyNamespacesOf(clusterNamespace: string): readonly CopyNamespace[] {
    const own = this.#namespaces.byIndex(this.#byConsumer, clusterNamespace);
    return copyNamespacesOf(this.#dialect, clusterNamespace, own, this.#serviceNamespaces.list(clusterNamespace));
  }

  /** The cluster namespace of a copy's consumer. */
  whose(copy: KubeObject): string | undefined {
    const {
      metadata: { namespace, annotations },
    } = copy;
    const owner =
      namespace === undefined
        ? undefined
        : ownerOf(this.#dialect, this.#namespaces.get(namespace)?.metadata.annotations);
    const consumer = consumerOf(owner) ?? annotations?.[this.#dialect.annotations.clusterNamespace];
    if (consumer === undefined) return undefined;
    const copyNamespace = namespace === undefined ? undefined : this.#copyNamespaceOf(consumer, namespace);
    if (namespace !== undefined && copyNamespace === undefined) return undefined;
    return belongingOf(this.#dialect, consumer, copyNamespace, '', copy).kind === 'own' ? consumer : undefined;
  }

  #copyNamespaceOf(consumer: string, namespace: string): CopyNamespace | undefined {
    const own = present(this.#namespaces.get(namespace));
    const serviceNamespaces = present(this.#serviceNamespaces.get({ namespace: consumer, name: namespace }));
    return copyNamespacesOf(this.#dialect, consumer, own, serviceNamespaces).find((one) => one.namespace === namespace);
  }
}

interface Offers {
  names(): readonly string[];
  get(resource: string): CustomResourceDefinition | undefined;
}

/** The CRDs that the provider exports: by label, or in Klutch by template. */
function offersOf({ clusters: { provider }, watch }: Setup<'provider'>, dialect: Dialect): Offers {
  const ofCRDs = { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition' };
  if (dialect.schema === 'BoundSchemas') {
    const selected = { ...ofCRDs, labelSelector: `${labels.exported}=true` };
    const crds = watch<CustomResourceDefinition>(provider, selected, () => []);
    return { names: () => crds.list().map(({ metadata }) => metadata.name), get: (resource) => crds.get(resource) };
  }
  const crds = watch<CustomResourceDefinition>(provider, ofCRDs, () => []);
  const templates = watch<InlineTemplate>(
    provider,
    { resource: dialect.resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
    () => [],
  );
  return {
    names: () => [...new Set(templates.list().map(({ spec }) => resourceGroupName(spec.APIServiceSelector)))],
    get: (resource) => crds.get(resource),
  };
}

function consumerOf(owner: string | undefined): string | undefined {
  return owner?.split('/', 1)[0];
}

function present<T>(found: T | undefined): readonly T[] {
  return found === undefined ? [] : [found];
}
