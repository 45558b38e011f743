import type { KubeObject } from '@hawser/client';
import { type Setup, type Watched, generationChanged } from '@hawser/controller';
import type { ProviderConnection } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type ClusterBinding,
  resourceGroupName,
} from '@hawser/kube-bind';
import { ExportRequests } from './export-requests.js';
import { exportedResources } from './observe.js';
import { type Sources, consumerSpecs, providerSpecs } from './sources.js';

/** Caches of everything that decides about the bindings of a connection. The key of a binding is its name. */
export class BindingCaches implements Sources {
  readonly consumer: Sources['consumer'];
  readonly provider: Sources['provider'];
  readonly bindings: Watched<APIServiceBinding>;
  readonly crds: Watched<KubeObject>;
  readonly exports: Watched<APIServiceExport>;
  readonly schemas: Watched<BoundSchema>;
  readonly clusterBindings: Watched<ClusterBinding>;
  readonly exportRequests: ExportRequests;
  readonly #connection: ProviderConnection;

  constructor({ clusters, scope, watch, look }: Setup<'consumer' | 'provider'>, connection: ProviderConnection) {
    const { consumer, provider } = clusters;
    const specs = providerSpecs(connection);
    this.#connection = connection;
    this.consumer = consumer.client;
    this.provider = provider.client;
    const curing = (names: readonly string[]): void => {
      for (const name of names) look(name, { priority: 'normal', cures: true });
    };
    const lookAtAll = (): void => {
      curing(connection.bindings.names());
    };
    const newSpec = { changed: generationChanged, cures: true } as const;
    const ofName = ({ metadata: { name } }: KubeObject): readonly string[] => (this.serves(name) ? [name] : []);
    const ofResource = ({ metadata }: KubeObject): readonly string[] => this.#namedBy(metadata.name);
    const all = (): readonly string[] => connection.bindings.names();
    // A change of status is mostly our own report: it must not end the back-off of its cause.
    this.bindings = watch<APIServiceBinding>(consumer, consumerSpecs.bindings, ofName);
    // Bindings that waited for a deleted one may go ahead.
    const ofBinding = (object: KubeObject, change: string) => (change === 'delete' ? all() : ofName(object));
    watch(consumer, consumerSpecs.bindings, ofBinding, newSpec);
    this.crds = watch(consumer, consumerSpecs.crds, ofResource);
    watch(consumer, consumerSpecs.crds, ofResource, newSpec);
    const ofExport = (object: KubeObject, change: string) => (change === 'delete' ? all() : ofName(object));
    this.exports = watch<APIServiceExport>(provider, specs.exports, ofExport, { cures: true });
    // Our own reports into their status arrive here, too.
    this.schemas = watch<BoundSchema>(provider, specs.schemas, ofResource, newSpec);
    this.clusterBindings = watch<ClusterBinding>(provider, specs.clusterBindings, all, newSpec);
    this.exportRequests = new ExportRequests(
      () =>
        provider.informers.acquire<APIServiceExportRequest>({
          resource: specs.requests.resource,
          namespace: specs.requests.namespace,
        }),
      (name) => {
        if (this.serves(name)) curing([name]);
      },
    );
    scope.own(this.exportRequests);
    scope.own(this.exports.onStateChange(lookAtAll));
    scope.own(this.schemas.onStateChange(lookAtAll));
    scope.own(
      connection.bindings.onChange((name) => {
        // Also for a binding that has left: its memory is dropped.
        curing([name]);
      }),
    );
  }

  serves(binding: string): boolean {
    return this.#connection.bindings.has(binding);
  }

  /** The binding of that name, if this connection serves it. */
  served(name: string): APIServiceBinding | undefined {
    return this.serves(name) ? this.bindings.get(name) : undefined;
  }

  requests(): ReturnType<Sources['requests']> {
    return this.exportRequests.informer;
  }

  /** The bindings whose exports name a resource. */
  #namedBy(resource: string): readonly string[] {
    return this.exports
      .list()
      .filter((found) => exportedResources(found)?.some((entry) => resourceGroupName(entry) === resource) === true)
      .map(({ metadata }) => metadata.name)
      .filter((name) => this.serves(name));
  }
}
