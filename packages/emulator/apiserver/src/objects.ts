import type { JsonObject } from '@hawser/json';
import { metaOf } from './object/meta.js';
import type { DeleteOptions, ObjectChange, ObjectKey, ObjectWriteOptions, Objects, StoredResource } from './parts.js';
import type { Registry } from './registry/registry.js';
import type { ResourceStorage } from './registry/resource-storage.js';
import type { ResourceType, ServedVersion } from './registry/resource-type.js';
import type { WriteRequest } from './registry/write-request.js';
import { type GroupResource, notFound } from './status.js';
import type { Change } from './store/change.js';
import type { ObjectStore } from './store/object-store.js';

/** {@link Objects} over the storage of requests, in the storage version. */
export class StoredObjects implements Objects {
  readonly #store: ObjectStore;
  readonly #registry: Registry;
  readonly #storage: ResourceStorage;

  constructor(store: ObjectStore, registry: Registry, storage: ResourceStorage) {
    this.#store = store;
    this.#registry = registry;
    this.#storage = storage;
  }

  resources(): readonly StoredResource[] {
    return this.#registry.types().map((type) => ({
      group: type.group,
      resource: type.resource,
      kind: type.kind,
      storageVersion: type.storageVersion,
      versions: type.versions.map((version) => version.version),
      namespaced: type.namespaced,
    }));
  }

  serves(resource: GroupResource): boolean {
    return this.#find(resource) !== undefined;
  }

  get(resource: GroupResource, key: ObjectKey): JsonObject | undefined {
    const found = this.#find(resource);
    const entry = found === undefined ? undefined : this.#storage.entry(found.type, key.namespace, key.name);
    return found === undefined || entry === undefined ? undefined : found.version.codec.fromStorage(entry.object);
  }

  list(resource: GroupResource, namespace = ''): readonly JsonObject[] {
    const found = this.#find(resource);
    if (found === undefined) return [];
    const prefix = namespace === '' || !found.type.namespaced ? '' : `${namespace}/`;
    return [...this.#store.range(found.type.bucket, prefix)].map((entry) =>
      found.version.codec.fromStorage(entry.object),
    );
  }

  create(resource: GroupResource, object: JsonObject, options: ObjectWriteOptions = {}): JsonObject {
    const { type, version } = this.#require(resource, metaOf(object).name ?? '');
    return this.#storage.create(
      this.#request(type, version, metaOf(object).namespace ?? '', options),
      version.codec.decode(object).object,
    );
  }

  update(resource: GroupResource, object: JsonObject, options: ObjectWriteOptions = {}): JsonObject {
    const { name = '', namespace = '', uid } = metaOf(object);
    const { type, version } = this.#require(resource, name);
    const request = this.#request(type, version, namespace, options);
    const next = version.codec.decode(object).object;
    const produce = (old: JsonObject | undefined): JsonObject =>
      request.ownership.update(old, next, { manager: request.manager, now: this.#storage.now() });
    return this.#storage.update(request, name, produce, false, uid).object;
  }

  delete(resource: GroupResource, key: ObjectKey, options: DeleteOptions = {}): JsonObject | undefined {
    const { type, version } = this.#require(resource, key.name);
    const outcome = this.#storage.delete(
      {
        type,
        version,
        namespace: key.namespace,
        dryRun: false,
        uid: options.uid,
        resourceVersion: options.resourceVersion,
        policy: options.propagationPolicy,
        orphanDependents: undefined,
      },
      key.name,
    );
    return outcome.kind === 'pending' ? outcome.object : undefined;
  }

  onChange(listener: (change: ObjectChange) => void): Disposable {
    return this.#store.subscribe((change) => {
      const type = this.#registry.typeOfBucket(change.entry.bucket);
      if (type !== undefined) listener(toObjectChange(type, change));
    });
  }

  #find(resource: GroupResource): { readonly type: ResourceType; readonly version: ServedVersion } | undefined {
    const type = this.#registry.typeOf(resource.group, resource.resource);
    const version = type?.versions.find((each) => each.version === type.storageVersion && each.group === type.group);
    return type === undefined || version === undefined ? undefined : { type, version };
  }

  #require(resource: GroupResource, name: string): { readonly type: ResourceType; readonly version: ServedVersion } {
    const found = this.#find(resource);
    if (found === undefined) throw notFound(resource, name);
    return found;
  }

  #request(type: ResourceType, version: ServedVersion, namespace: string, options: ObjectWriteOptions): WriteRequest {
    const subresource = options.subresource === undefined ? undefined : version.subresources.get(options.subresource);
    const part = subresource?.kind === 'object' ? subresource : version;
    return {
      type,
      version,
      strategy: part.strategy,
      ownership: part.ownership,
      subresource: options.subresource ?? '',
      namespace: type.namespaced ? namespace : '',
      dryRun: false,
      manager: options.fieldManager ?? 'kube-controller-manager',
      user: undefined,
      warn: () => undefined,
      authorizeCreate: () => undefined,
    };
  }
}

function toObjectChange(type: ResourceType, change: Change): ObjectChange {
  const { name = '', namespace = '' } = metaOf(change.entry.object);
  return {
    type: change.type,
    resource: { group: type.group, resource: type.resource },
    key: { namespace, name },
    object: change.entry.object,
    previous: change.previous?.object,
    revision: change.revision,
  };
}
