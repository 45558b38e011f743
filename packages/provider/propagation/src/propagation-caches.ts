import { type Client, type KubeObject, objectKey } from '@hawser/client';
import { generationChanged, type Setup, toOwnKey, type Watched } from '@hawser/controller';
import { equal } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  type BoundSchemaSpec,
  type ClusterBinding,
  type CustomResourceDefinition,
  type Dialect,
  fixedNames,
  hawserAnnotations,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { decidesAbout } from './assess.js';
import { namespaceWords, withNamespaceWords } from './namespace-words.js';
import { exportedSelector, schemaView } from './schema-view.js';
import type { WaitingExports } from './waiting-exports.js';

const byResource = 'propagation/resource';
const bySchema = 'propagation/boundschema';
const byConsumer = 'propagation/consumer';

/** Annotations of an export that decide about schemas. */
const decisions = [
  hawserAnnotations.schemaProven,
  hawserAnnotations.schemaRejected,
  hawserAnnotations.schemaApproved,
  hawserAnnotations.schemaRollout,
  hawserAnnotations.schemaUpdate,
];

/** A BoundSchema with a spec. */
export type StatedSchema = BoundSchema & { readonly spec: BoundSchemaSpec };

/** Cached state of the provider's cluster. Looks at an export when an input of its schemas changes. */
export class PropagationCaches {
  /** Reads and writes exports and their schemas in the form of kube-bind. */
  readonly client: Client;
  readonly exports: Watched<APIServiceExport>;
  readonly boundSchemas: Watched<BoundSchema>;
  readonly crds: Watched<CustomResourceDefinition>;
  readonly #requests: Watched<APIServiceExportRequest>;
  readonly #clusterBindings: Watched<ClusterBinding>;
  readonly #clusterNamespaces: Watched<KubeObject>;
  readonly #namespaces: Watched<APIServiceNamespace>;
  readonly #dialect: Dialect;
  readonly #waiting: WaitingExports;

  constructor(setup: Setup<'provider'>, dialect: Dialect, waiting: WaitingExports) {
    const { clusters, watch } = setup;
    const { provider } = clusters;
    const kinds = dialect.resources;
    const view = { ...provider, ...schemaView(setup, dialect) };
    // An Event names the stored kind, whatever form it is read in.
    const exportSpec = {
      resource: resources.apiServiceExports,
      apiVersion: dialect.apiVersion,
      kind: 'APIServiceExport',
    };
    this.#dialect = dialect;
    this.#waiting = waiting;
    this.client = view.client;
    this.exports = watch<APIServiceExport>(view, exportSpec, toOwnKey, { cures: true });
    // The provider's decision about one consumer can end the wait of others.
    watch<APIServiceExport>(
      view,
      exportSpec,
      (object, change) => (change === 'create' ? [] : this.#waitingFor(object)),
      {
        changed: differsIn(decisions),
      },
    );
    this.#requests = watch<APIServiceExportRequest>(
      provider,
      { resource: kinds.apiServiceExportRequests, kind: 'APIServiceExportRequest' },
      toOwnKey,
    );
    this.boundSchemas = watch<BoundSchema>(
      view,
      { resource: resources.boundSchemas, kind: 'BoundSchema' },
      (object) => [...this.#exportsWith(object).map(objectKey), ...waiting.of(object.metadata.name)],
    );
    // Labels determine a consumer's step. Its status is a heartbeat.
    this.#clusterBindings = watch<ClusterBinding>(
      provider,
      { resource: kinds.clusterBindings, kind: 'ClusterBinding' },
      () => waiting.all(),
      { changed: (before, after) => !equal(before.metadata.labels ?? {}, after.metadata.labels ?? {}) },
    );
    this.#clusterNamespaces = this.#watchClusterNamespaces(setup);
    this.crds = this.#watchCRDs(setup);
    this.#namespaces = watch<APIServiceNamespace>(
      provider,
      { resource: kinds.apiServiceNamespaces, kind: 'APIServiceNamespace' },
      () => [],
    );
    this.exports.addIndex(byResource, resourcesOf);
    this.exports.addIndex(bySchema, (object) =>
      resourcesOf(object).map((resource) => objectKey({ namespace: object.metadata.namespace, name: resource })),
    );
    this.#namespaces.addIndex(byConsumer, ({ metadata: { namespace = '' } }) => [namespace]);
  }

  /** An export that is not terminating. */
  lasting(key: string): APIServiceExport | undefined {
    const found = this.exports.get(key);
    return found?.metadata.deletionTimestamp === undefined ? found : undefined;
  }

  exportsOf(resource: string): readonly APIServiceExport[] {
    return this.exports.byIndex(byResource, resource);
  }

  /** The schema of an export's consumer, if this controller may change it. */
  schemaOf(found: APIServiceExport, resource: string): StatedSchema | undefined {
    const boundSchema = this.boundSchemas.get({ namespace: found.metadata.namespace, name: resource });
    if (
      boundSchema?.spec === undefined ||
      boundSchema.metadata.deletionTimestamp !== undefined ||
      !decidesAbout(this.#dialect, found, boundSchema)
    )
      return undefined;
    return { ...boundSchema, spec: boundSchema.spec };
  }

  /** An export with the annotations of its cluster namespace. */
  decided(found: APIServiceExport): APIServiceExport {
    return withNamespaceWords(found, this.#clusterNamespaces.get({ name: found.metadata.namespace ?? '' }));
  }

  requestOf({ metadata: { namespace, name } }: APIServiceExport): APIServiceExportRequest | undefined {
    return this.#requests.get({ namespace, name });
  }

  rolloutTextOf({ metadata }: APIServiceExport, resource: string): string | undefined {
    return (
      metadata.annotations?.[hawserAnnotations.schemaRollout] ??
      this.crds.get({ name: resource })?.metadata.annotations?.[hawserAnnotations.schemaRollout]
    );
  }

  /** The labels by which the steps of a roll-out select consumers. */
  labelsOf({ metadata: { namespace } }: APIServiceExport): Readonly<Record<string, string>> {
    return this.#clusterBindings.get({ namespace, name: fixedNames.clusterBinding })?.metadata.labels ?? {};
  }

  /** The namespaces in which the consumer of an export can have copies. */
  copyNamespacesOf({ metadata: { namespace = '' }, spec }: APIServiceExport): readonly string[] {
    const assigned = this.#namespaces.byIndex(byConsumer, namespace).flatMap(({ status }) => status?.namespace ?? []);
    // Only under that isolation a consumer has copies in its cluster namespace.
    return spec.isolation === 'Namespaced' ? [namespace, ...assigned] : assigned;
  }

  #exportsWith(boundSchema: BoundSchema): readonly APIServiceExport[] {
    return this.exports.byIndex(bySchema, objectKey(boundSchema));
  }

  /** Exports that wait for this one. */
  #waitingFor(object: APIServiceExport): readonly string[] {
    return resourcesOf(object).flatMap((resource) => [...this.#waiting.of(resource)]);
  }

  #watchClusterNamespaces({ clusters: { provider }, watch }: Setup<'provider'>): Watched<KubeObject> {
    const hasAnnotations = ({ metadata }: KubeObject): boolean =>
      namespaceWords.some((word) => metadata.annotations?.[word] !== undefined);
    return watch(
      provider,
      { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
      (namespace, change) =>
        change === 'delete' || (change === 'create' && !hasAnnotations(namespace))
          ? []
          : this.exports.list(namespace.metadata.name).flatMap((one) => [objectKey(one), ...this.#waitingFor(one)]),
      { changed: differsIn(namespaceWords), cures: true },
    );
  }

  #watchCRDs({ clusters: { provider }, watch }: Setup<'provider'>): Watched<CustomResourceDefinition> {
    return watch<CustomResourceDefinition>(
      provider,
      {
        resource: resources.customResourceDefinitions,
        kind: 'CustomResourceDefinition',
        labelSelector: exportedSelector(this.#dialect),
      },
      ({ metadata }) => this.exportsOf(metadata.name).map(objectKey),
      {
        // Consumers' status reports do not matter here, but annotations about steps do.
        changed: (before, after) =>
          generationChanged(before, after) ||
          before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
          differsIn([hawserAnnotations.schemaRollout])(before, after),
        cures: true,
      },
    );
  }
}

export function resourcesOf({ spec }: APIServiceExport): readonly string[] {
  return spec.resources.map(resourceGroupName);
}

function differsIn(annotations: readonly string[]): (before: KubeObject, after: KubeObject) => boolean {
  return (before, after) =>
    annotations.some((key) => before.metadata.annotations?.[key] !== after.metadata.annotations?.[key]);
}
