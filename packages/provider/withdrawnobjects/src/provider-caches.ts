import { type Client, getIfExists, isTerminating, type KubeObject } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
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
import { belongingOf, ownerOf, type Place, placesOf } from './belonging.js';
import type { ExportObject } from './export-object.js';

/** What is known of the provider's cluster without asking. */
export class ProviderCaches {
  readonly exports;
  readonly clusterBindings;
  readonly #client: Client;
  readonly #dialect: Dialect;
  readonly #byConsumer: string;
  readonly #serviceNamespaces;
  readonly #namespaces;
  readonly #offers: Offers;

  constructor({ client, informers }: Cluster, scope: Scope, dialect: Dialect) {
    const { resources: kinds } = dialect;
    this.#client = client;
    this.#dialect = dialect;
    this.#byConsumer = `${controllerName('withdrawnobjects', dialect)}/consumer`;
    this.exports = scope.informer(informers.acquire<ExportObject>({ resource: kinds.apiServiceExports }));
    this.clusterBindings = scope.informer(informers.acquire<ClusterBinding>({ resource: kinds.clusterBindings }));
    this.#serviceNamespaces = scope.informer(
      informers.acquire<APIServiceNamespace>({ resource: kinds.apiServiceNamespaces }),
    );
    this.#namespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    this.#namespaces.addIndex(this.#byConsumer, ({ metadata }) =>
      present(consumerOf(ownerOf(dialect, metadata.annotations))),
    );
    this.#offers = offersOf(informers, scope, dialect);
  }

  /** The cluster namespace is gone, or on its way out. */
  namespaceEnds(clusterNamespace: string): boolean {
    const namespace = this.#namespaces.get(clusterNamespace);
    return namespace === undefined || isTerminating(namespace);
  }

  /** Names of the CRDs that the provider exports. */
  offered(): readonly string[] {
    return this.#offers.names();
  }

  /** One that is not exported any more counts, too: it is read. @throws {ApiError} of a read that fails */
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

  /** Where the consumer can have copies in namespaces. */
  placesOf(clusterNamespace: string): readonly Place[] {
    const own = this.#namespaces.byIndex(this.#byConsumer, clusterNamespace);
    return placesOf(this.#dialect, clusterNamespace, own, this.#serviceNamespaces.list(clusterNamespace));
  }

  /** The cluster namespace of the consumer whose copy an object is. */
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
    const place = namespace === undefined ? undefined : this.#placeOf(consumer, namespace);
    if (namespace !== undefined && place === undefined) return undefined;
    return belongingOf(this.#dialect, consumer, place, '', copy).kind === 'own' ? consumer : undefined;
  }

  #placeOf(consumer: string, namespace: string): Place | undefined {
    const own = present(this.#namespaces.get(namespace));
    const serviceNamespaces = present(this.#serviceNamespaces.get({ namespace: consumer, name: namespace }));
    return placesOf(this.#dialect, consumer, own, serviceNamespaces).find((one) => one.namespace === namespace);
  }
}

interface Offers {
  names(): readonly string[];
  get(resource: string): CustomResourceDefinition | undefined;
}

/** The CRDs that the provider exports: by label, or in Klutch by template. */
function offersOf(informers: Cluster['informers'], scope: Scope, dialect: Dialect): Offers {
  if (dialect.schema === 'BoundSchemas') {
    const crds = scope.informer(
      informers.acquire<CustomResourceDefinition>({
        resource: resources.customResourceDefinitions,
        labelSelector: `${labels.exported}=true`,
      }),
    );
    return { names: () => crds.list().map(({ metadata }) => metadata.name), get: (resource) => crds.get(resource) };
  }
  const crds = scope.informer(
    informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions }),
  );
  const templates = scope.informer(
    informers.acquire<InlineTemplate>({ resource: dialect.resources.apiServiceExportTemplates }),
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
