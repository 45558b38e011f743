import { type Setup, toOwnKey } from '@hawser/controller';
import { type Binding, type Connection, connectionNamed, labels, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { apisOf } from './coverage.js';

/**
 * What decides which binding serves which objects: the ClusterBindings and Bindings, their Connections, and the CRDs
 * that we manage. A change queues the bindings that it concerns. The key of a ClusterBinding is its name, that of a
 * Binding `namespace/name`.
 */
export class BindingCaches {
  readonly clusterBindings;
  readonly bindings;
  readonly connections;
  readonly crds;

  /** `alsoOfConnections`: further bindings that a changed Connection concerns. */
  constructor({ clusters: { consumer }, watch }: Setup<'consumer'>, alsoOfConnections: () => readonly string[]) {
    // A changed binding may leave objects to others.
    const concerned = (binding: Binding): readonly string[] => [toOwnKey(binding), ...this.#sharing(binding)];
    const { clusterBindings, bindings, connections } = resources;
    this.clusterBindings = watch<Binding>(consumer, { resource: clusterBindings, kind: 'ClusterBinding' }, concerned);
    this.bindings = watch<Binding>(consumer, { resource: bindings, kind: 'Binding' }, concerned);
    this.connections = watch<Connection>(consumer, { resource: connections, kind: 'Connection' }, ({ metadata }) => [
      ...this.naming(metadata.name),
      ...alsoOfConnections(),
    ]);
    const labelSelector = `${labels.managed}=true`;
    this.crds = watch<CustomResourceDefinition>(
      consumer,
      { resource: customResourceDefinitions, kind: 'CustomResourceDefinition', labelSelector },
      ({ metadata }) => this.#where((binding) => apisOf(binding).includes(metadata.name)),
    );
  }

  get(key: string): Binding | undefined {
    return (key.includes('/') ? this.bindings : this.clusterBindings).get(key);
  }

  all(): readonly Binding[] {
    return [...this.clusterBindings.list(), ...this.bindings.list()];
  }

  /** Keys of the bindings that name that Connection. */
  naming(connection: string): readonly string[] {
    return this.#where((binding) => connectionNamed(binding) === connection);
  }

  /** Whether no binding lists the API by that Connection, and its pull policy does not install all APIs. */
  isAbandoned(api: string, owner: string): boolean {
    const pullsAll = this.connections.get(owner)?.spec.schema?.pullPolicy === 'All';
    const isBound = (one: Binding): boolean => apisOf(one).includes(api) && connectionNamed(one) === owner;
    return !pullsAll && !this.all().some(isBound);
  }

  #sharing(binding: Binding): readonly string[] {
    const apis = new Set(apisOf(binding));
    return this.#where((other) => apisOf(other).some((api) => apis.has(api)));
  }

  #where(matches: (binding: Binding) => boolean): readonly string[] {
    return this.all().filter(matches).map(toOwnKey);
  }
}
