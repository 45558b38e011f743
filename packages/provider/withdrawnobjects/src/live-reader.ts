import { type Client, getIfExists, isRefusal, type KubeObject, listAll } from '@hawser/client';
import { type APIServiceNamespace, type CustomResourceDefinition, type Dialect, resources } from '@hawser/kube-bind';
import { type CopyNamespace, copyNamespacesOf } from './belonging.js';
import { type Copy, survey } from './copies.js';
import { type ExportObject, isolationOf } from './export-object.js';
import type { EndReading, OwnerReading, Reading } from './observed.js';

type WithoutTurn<T> = T extends unknown ? Omit<T, 'turn'> : never;

/** Reads live and decides nothing. A failed read rejects with its ApiError; then nothing may be deleted. */
export class LiveReader {
  readonly #client: Client;
  readonly #dialect: Dialect;

  constructor(client: Client, dialect: Dialect) {
    this.#client = client;
    this.#dialect = dialect;
  }

  /** All copies of the consumer, of these resources and in these namespaces. */
  async copies(
    found: ExportObject,
    crds: readonly CustomResourceDefinition[],
    copyNamespaces: readonly CopyNamespace[],
    signal: AbortSignal,
  ): Promise<WithoutTurn<Reading>> {
    const clusterNamespace = found.metadata.namespace ?? '';
    const prefix = isolationOf(found) === 'Prefixed' ? `${clusterNamespace}-` : '';
    const copies = new Map<string, readonly Copy[]>();
    try {
      for (const crd of crds) {
        const some = await survey(
          this.#client,
          this.#dialect,
          { clusterNamespace, copyNamespaces, crd, prefix },
          signal,
        );
        if (some.length > 0) copies.set(crd.metadata.name, some);
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { kind: 'refused', message: error.message };
    }
    return { kind: 'read', copies };
  }

  /** The namespaces in which the consumer can have copies. */
  async copyNamespaces(clusterNamespace: string, signal: AbortSignal): Promise<readonly CopyNamespace[]> {
    const namespaces = await listAll<KubeObject>(this.#client, resources.namespaces, {
      representation: 'metadata',
      signal,
    });
    const serviceNamespaces = await listAll<APIServiceNamespace>(
      this.#client,
      this.#dialect.resources.apiServiceNamespaces,
      { namespace: clusterNamespace, signal },
    );
    return copyNamespacesOf(this.#dialect, clusterNamespace, namespaces, serviceNamespaces);
  }

  /** The cluster namespace, then all exports in it. */
  async end(clusterNamespace: string, signal: AbortSignal): Promise<Pick<EndReading, 'namespace' | 'exports'>> {
    const namespace = await getIfExists<KubeObject>(
      this.#client,
      resources.namespaces,
      { name: clusterNamespace },
      { representation: 'metadata', signal },
    );
    const exports = await listAll<ExportObject>(this.#client, this.#dialect.resources.apiServiceExports, {
      namespace: clusterNamespace,
      signal,
    });
    return { namespace, exports };
  }

  /** The object that names the owner of the namespace. */
  async owner(
    clusterNamespace: string,
    { namespace, consumerNamespace, isShared }: CopyNamespace,
    signal: AbortSignal,
  ): Promise<OwnerReading['owner']> {
    if (!isShared)
      return getIfExists<KubeObject>(
        this.#client,
        resources.namespaces,
        { name: namespace },
        { representation: 'metadata', signal },
      );
    return getIfExists<APIServiceNamespace>(
      this.#client,
      this.#dialect.resources.apiServiceNamespaces,
      { namespace: clusterNamespace, name: consumerNamespace },
      { signal },
    );
  }
}
