import type { ControllerContext, Scope } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, type APIServiceExport, resources } from '@hawser/kube-bind';
import { type ServiceNamespaceObject, type ServiceNamespaces, createServiceNamespaces } from './service-namespaces.js';

/** Caches of what decides which objects of a connection are synced, and where. End with the scope. */
export class ConnectionCaches {
  /** Of the provider, in the cluster namespace. */
  readonly exports: InformerHandle<APIServiceExport>;
  /** All of the consumer. */
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly #serviceNamespaces: InformerHandle<ServiceNamespaceObject>;
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #clusterNamespace: string;

  constructor(ctx: ControllerContext<'consumer' | 'provider'>, scope: Scope, clusterNamespace: string) {
    const { consumer, provider } = ctx.clusters;
    const ofConsumer = { namespace: clusterNamespace };
    this.exports = scope.cache(provider, { resource: resources.apiServiceExports, ...ofConsumer });
    this.#serviceNamespaces = scope.cache(provider, { resource: resources.apiServiceNamespaces, ...ofConsumer });
    this.bindings = scope.cache(consumer, { resource: resources.apiServiceBindings });
    this.#ctx = ctx;
    this.#clusterNamespace = clusterNamespace;
  }

  /** Resolves when they are filled. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.exports.synced(signal),
      this.#serviceNamespaces.synced(signal),
      this.bindings.synced(signal),
    ]);
  }

  /** The export of a binding: both have one name. */
  exportOf(binding: string): APIServiceExport | undefined {
    return this.exports.get({ namespace: this.#clusterNamespace, name: binding });
  }

  /** Requests and reads the provider's namespaces. `consumerCluster`: the consumer's uid, once it is known. */
  openNamespaces(consumerCluster: () => string | undefined): ServiceNamespaces {
    const { clusters, clock } = this.#ctx;
    return createServiceNamespaces({
      client: clusters.provider.client,
      resource: resources.apiServiceNamespaces,
      clusterNamespace: this.#clusterNamespace,
      informer: this.#serviceNamespaces,
      now: () => clock.monotonic(),
      consumerCluster,
    });
  }
}
