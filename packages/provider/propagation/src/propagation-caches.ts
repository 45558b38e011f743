import { type Client, type KubeObject, objectKey } from '@hawser/client';
import type { ControllerContext, Scope } from '@hawser/controller';
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
import { withNamespaceWords } from './namespace-words.js';
import { exportedSelector, schemaView } from './schema-view.js';

const byResource = 'propagation/resource';
const bySchema = 'propagation/boundschema';
const byConsumer = 'propagation/consumer';

/** A BoundSchema that says something. */
export type StatedSchema = BoundSchema & { readonly spec: BoundSchemaSpec };

/** What is known of the provider's cluster without asking. */
export class PropagationCaches {
  /** Reads and writes exports and their schemas as kube-bind has them. */
  readonly client: Client;
  readonly exports;
  readonly boundSchemas;
  readonly crds;
  readonly requests;
  readonly clusterBindings;
  readonly clusterNamespaces;
  readonly #namespaces;
  readonly #dialect: Dialect;

  constructor(ctx: ControllerContext<'provider'>, scope: Scope, dialect: Dialect) {
    const { informers } = ctx.clusters.provider;
    const { client, informers: views } = schemaView(ctx, scope, dialect);
    const kinds = dialect.resources;
    this.#dialect = dialect;
    this.client = client;
    this.exports = scope.informer(views.acquire<APIServiceExport>({ resource: resources.apiServiceExports }));
    this.boundSchemas = scope.informer(views.acquire<BoundSchema>({ resource: resources.boundSchemas }));
    this.crds = scope.informer(
      informers.acquire<CustomResourceDefinition>({
        resource: resources.customResourceDefinitions,
        labelSelector: exportedSelector(dialect),
      }),
    );
    this.requests = scope.informer(
      informers.acquire<APIServiceExportRequest>({ resource: kinds.apiServiceExportRequests }),
    );
    this.#namespaces = scope.informer(informers.acquire<APIServiceNamespace>({ resource: kinds.apiServiceNamespaces }));
    this.clusterBindings = scope.informer(informers.acquire<ClusterBinding>({ resource: kinds.clusterBindings }));
    this.clusterNamespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    this.exports.addIndex(byResource, resourcesOf);
    this.exports.addIndex(bySchema, (object) =>
      resourcesOf(object).map((resource) => objectKey({ namespace: object.metadata.namespace, name: resource })),
    );
    this.#namespaces.addIndex(byConsumer, ({ metadata: { namespace = '' } }) => [namespace]);
  }

  /** An export that is there to stay. */
  lasting(key: string): APIServiceExport | undefined {
    const found = this.exports.get(key);
    return found?.metadata.deletionTimestamp === undefined ? found : undefined;
  }

  exportsOf(resource: string): readonly APIServiceExport[] {
    return this.exports.byIndex(byResource, resource);
  }

  exportsWith(boundSchema: BoundSchema): readonly APIServiceExport[] {
    return this.exports.byIndex(bySchema, objectKey(boundSchema));
  }

  /** What the consumer of an export has, if it is this controller's to change. */
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

  /** An export with what its cluster namespace says, too. */
  decided(found: APIServiceExport): APIServiceExport {
    return withNamespaceWords(found, this.clusterNamespaces.get({ name: found.metadata.namespace ?? '' }));
  }

  requestOf({ metadata: { namespace, name } }: APIServiceExport): APIServiceExportRequest | undefined {
    return this.requests.get({ namespace, name });
  }

  rolloutTextOf({ metadata }: APIServiceExport, resource: string): string | undefined {
    return (
      metadata.annotations?.[hawserAnnotations.schemaRollout] ??
      this.crds.get({ name: resource })?.metadata.annotations?.[hawserAnnotations.schemaRollout]
    );
  }

  /** By which the steps of a roll-out choose consumers. */
  labelsOf({ metadata: { namespace } }: APIServiceExport): Readonly<Record<string, string>> {
    return this.clusterBindings.get({ namespace, name: fixedNames.clusterBinding })?.metadata.labels ?? {};
  }

  /** The namespaces in which the consumer of an export can have copies. */
  placesOf({ metadata: { namespace = '' }, spec }: APIServiceExport): readonly string[] {
    const assigned = this.#namespaces.byIndex(byConsumer, namespace).flatMap(({ status }) => status?.namespace ?? []);
    // In its cluster namespace a consumer has copies under that isolation alone.
    return spec.isolation === 'Namespaced' ? [namespace, ...assigned] : assigned;
  }
}

export function resourcesOf({ spec }: APIServiceExport): readonly string[] {
  return spec.resources.map(resourceGroupName);
}
