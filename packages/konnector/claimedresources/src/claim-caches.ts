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

/** Keys of a pair on both sides; the provider's namespace may not be assigned yet. */
export interface PairKeys {
  readonly consumer: NamespacedKey;
  readonly provider: NamespacedKey | undefined;
}

const BY_NAME = 'metadata.name';

/** Metadata of the objects of one resource on both sides. Contents are read only for claimed objects. */
export class ClaimCaches {
  /** Cache of the consumer, for all namespaces. */
  readonly consumer: InformerHandle<KubeObject>;
  readonly provider: ProviderCaches;
  readonly #namespaces: ServiceNamespaces;
  /** uids of deleted objects that the caches still show. */
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

  /** Keys of an object of that name on either side. */
  keysOf({ namespace, name }: Named): readonly string[] {
    if (namespace !== undefined) return [objectKey({ namespace, name })];
    const onConsumer = this.consumer.byIndex(BY_NAME, name).map(({ metadata }) => metadata.namespace ?? '');
    const onProvider = this.#namespaces
      .assigned()
      .filter(({ provider }) => this.provider.get(provider, name) !== undefined)
      .map(({ consumer }) => consumer);
    return [...new Set([...onConsumer, ...onProvider])].map((found) => objectKey({ namespace: found, name }));
  }

  /** The cached object, if known. */
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

  /** Takes the answer to one of our requests into the cache. */
  observe(side: Side, object: KubeObject): void {
    // A backup restores a deleted object with the same uid.
    this.#forgotten[side].delete(object.metadata.uid ?? '');
    if (side === 'consumer') this.consumer.observe(object);
    else this.provider.observe(object);
  }

  /** Hides a deleted object until the cache has heard of it. */
  forget(side: Side, { metadata: { namespace = '', name, uid = '' } }: KubeObject): void {
    // Its event may have come before the answer.
    if (this.#cached(side, { namespace, name })?.metadata.uid === uid) this.#forgotten[side].add(uid);
  }

  /** Notes that the cache has heard of a deletion. */
  heardOfEnd(side: Side, { metadata: { uid = '' } }: KubeObject): void {
    this.#forgotten[side].delete(uid);
  }

  close(): void {
    this.provider.close();
    this.consumer.release();
  }

  /** Includes deleted objects without an event yet. */
  #cached(side: Side, { namespace, name }: NamespacedKey): KubeObject | undefined {
    return side === 'consumer' ? this.consumer.get({ namespace, name }) : this.provider.get(namespace, name);
  }
}
