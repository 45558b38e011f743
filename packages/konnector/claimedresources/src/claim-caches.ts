import { type KubeObject, type Resource, objectKey } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import type { ServiceNamespaces } from '@hawser/konnector-sync';

import type { Side } from './marks.js';
import { type ProviderCaches, type ProviderCachesListener, createProviderCaches } from './provider-caches.js';
import type { Named } from './references.js';

/** A namespace and a name. */
export interface NamespacedKey {
  readonly namespace: string;
  readonly name: string;
}

/** Where a pair stands on both sides; the provider's namespace may not be assigned yet. */
export interface PairKeys {
  readonly consumer: NamespacedKey;
  readonly provider: NamespacedKey | undefined;
}

const BY_NAME = 'metadata.name';

/**
 * What is known of the objects of one resource on both sides: metadata alone. Of all objects of the cluster, the contents of those that are claimed are read, and no others.
 */
export class ClaimCaches {
  /** The consumer's, in all namespaces. */
  readonly consumer: InformerHandle<KubeObject>;
  readonly provider: ProviderCaches;
  readonly #namespaces: ServiceNamespaces;
  /** uids of objects that are gone, of which the caches have not heard yet. */
  readonly #forgotten: Readonly<Record<Side, Set<string>>> = { consumer: new Set(), provider: new Set() };

  constructor(
    informers: Readonly<Record<Side, SharedInformers>>,
    resource: Resource,
    namespaces: ServiceNamespaces,
    listener: ProviderCachesListener,
  ) {
    this.#namespaces = namespaces;
    this.consumer = informers.consumer.acquire<KubeObject>({ resource, projection: 'metadata' });
    this.consumer.addIndex(BY_NAME, ({ metadata }) => [metadata.name]);
    this.provider = createProviderCaches(informers.provider, resource, listener);
  }

  keysFor(key: string): PairKeys {
    const slash = key.indexOf('/');
    const consumer = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    const namespace = this.#namespaces.toProvider(consumer.namespace);
    return { consumer, provider: namespace === undefined ? undefined : { namespace, name: consumer.name } };
  }

  /** Keys under which an object of that name stands on either side. */
  keysOf({ namespace, name }: Named): readonly string[] {
    if (namespace !== undefined) return [objectKey({ namespace, name })];
    const onConsumer = this.consumer.byIndex(BY_NAME, name).map(({ metadata }) => metadata.namespace ?? '');
    const onProvider = this.#namespaces
      .assigned()
      .filter(({ provider }) => this.provider.get(provider, name) !== undefined)
      .map(({ consumer }) => consumer);
    return [...new Set([...onConsumer, ...onProvider])].map((found) => objectKey({ namespace: found, name }));
  }

  /** What is there, as far as that is known. */
  get(side: Side, key: NamespacedKey | undefined): KubeObject | undefined {
    const object = key === undefined ? undefined : this.#cached(side, key);
    return object === undefined || this.#forgotten[side].has(object.metadata.uid ?? '') ? undefined : object;
  }

  list(side: Side, namespace: string): readonly KubeObject[] {
    return side === 'consumer' ? this.consumer.list(namespace) : this.provider.list(namespace);
  }

  /** Whether a missing object is known to be missing. */
  isReady(side: Side, namespace: string | undefined): boolean {
    return side === 'consumer' ? this.consumer.hasSynced : namespace !== undefined && this.provider.ready(namespace);
  }

  /** Takes in what a request of ours was answered by. */
  observe(side: Side, object: KubeObject): void {
    // A backup brings back what was deleted, as the same object.
    this.#forgotten[side].delete(object.metadata.uid ?? '');
    if (side === 'consumer') this.consumer.observe(object);
    else this.provider.observe(object);
  }

  /** Takes an object that is gone out of sight until the cache has heard of it. */
  forget(side: Side, { metadata: { namespace = '', name, uid = '' } }: KubeObject): void {
    // Its event may have come before the answer.
    if (this.#cached(side, { namespace, name })?.metadata.uid === uid) this.#forgotten[side].add(uid);
  }

  /** The cache has heard that an object is gone. */
  heardOfEnd(side: Side, { metadata: { uid = '' } }: KubeObject): void {
    this.#forgotten[side].delete(uid);
  }

  close(): void {
    this.provider.close();
    this.consumer.release();
  }

  /** Also what was deleted and is not told of yet. */
  #cached(side: Side, { namespace, name }: NamespacedKey): KubeObject | undefined {
    return side === 'consumer' ? this.consumer.get({ namespace, name }) : this.provider.get(namespace, name);
  }
}
