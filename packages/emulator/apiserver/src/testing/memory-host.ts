import { FakeClock } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import { isDeleting, metaOf, timestampOf, withMeta } from '../object/meta.js';
import { objectField, stringsField } from '../object/json.js';
import type {
  AuthorizationAttributes,
  Catalog,
  Decision,
  DeleteOptions,
  ObjectChange,
  ObjectKey,
  ObjectWriteOptions,
  Objects,
  ResourceInfo,
  ServerHost,
  StoredResource,
} from '../parts.js';
import { type GroupResource, conflict, notFound } from '../status.js';

const stored = (group: string, kind: string, namespaced: boolean): StoredResource => ({
  group,
  resource: `${kind.toLowerCase()}s`,
  kind,
  storageVersion: 'v1',
  versions: ['v1'],
  namespaced,
});

const kinds = [
  stored('', 'Namespace', false),
  stored('', 'ConfigMap', true),
  stored('', 'Secret', true),
  stored('', 'ServiceAccount', true),
  stored('', 'Event', true),
  stored('rbac.authorization.k8s.io', 'ClusterRole', false),
  stored('rbac.authorization.k8s.io', 'ClusterRoleBinding', false),
  stored('rbac.authorization.k8s.io', 'Role', true),
  stored('rbac.authorization.k8s.io', 'RoleBinding', true),
];

/**
 * Minimal host for tests of single parts: objects in memory with uids, finalizers and changes, without validation and
 * versions.
 */
export class MemoryHost implements ServerHost, Objects {
  readonly clock = new FakeClock();
  readonly random = (): number => 0.5;
  readonly kubernetesVersion = '1.36.3';
  readonly objects: Objects = this;
  readonly reported: unknown[] = [];
  readonly catalog: Catalog;
  authority = '';
  authorizer: (attributes: AuthorizationAttributes) => Decision = () => ({ allowed: true, reason: '' });
  readonly #objects = new Map<string, JsonObject>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  #infos: readonly ResourceInfo[] = [];
  readonly #catalogListeners = new Set<() => void>();
  #kinds: readonly StoredResource[] = kinds;
  #revision = 0;
  #uids = 0;

  constructor() {
    this.catalog = {
      resources: () => this.#infos,
      find: (group, version, resource) =>
        this.#infos.find((info) => info.group === group && info.version === version && info.resource === resource),
      onChange: (listener) => subscribe(this.#catalogListeners, listener),
    };
  }

  // --- host

  authorityPem(): string {
    return this.authority;
  }
  serverUrl(): string {
    return 'https://127.0.0.1:6443';
  }
  authorize(attributes: AuthorizationAttributes): Decision {
    return this.authorizer(attributes);
  }
  newUid(): string {
    return `uid-${++this.#uids}`;
  }
  timestamp(): string {
    return timestampOf(this.clock.now());
  }
  defer(task: () => void, delayMs = 0): { cancel(): void } {
    return this.clock.setTimeout(task, delayMs);
  }
  report(error: unknown): void {
    this.reported.push(error);
  }

  /** Runs everything deferred, and what follows from it. */
  settle(): Promise<void> {
    return this.clock.advance(1);
  }

  serve(infos: readonly ResourceInfo[]): void {
    this.#infos = infos;
    for (const listener of this.#catalogListeners) listener();
  }

  addKind(group: string, kind: string): StoredResource {
    const added = stored(group, kind, true);
    this.#kinds = [...this.#kinds, added];
    this.serve([...this.#infos]);
    return added;
  }

  removeKind({ group, resource }: GroupResource): void {
    this.#kinds = this.#kinds.filter((kind) => kind.group !== group || kind.resource !== resource);
    this.serve([...this.#infos]);
  }

  // --- objects

  resources(): readonly StoredResource[] {
    return this.#kinds;
  }

  serves({ group, resource }: GroupResource): boolean {
    return this.#kinds.some((kind) => kind.group === group && kind.resource === resource);
  }
  get(resource: GroupResource, key: ObjectKey): JsonObject | undefined {
    return this.#objects.get(idOf(resource, key));
  }

  list(resource: GroupResource, namespace?: string): readonly JsonObject[] {
    const prefix = `${resource.group}/${resource.resource}/${namespace === undefined ? '' : `${namespace}/`}`;
    return [...this.#objects]
      .filter(([id]) => id.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  create(resource: GroupResource, object: JsonObject): JsonObject {
    const created = withMeta(object, { uid: metaOf(object).uid ?? this.newUid(), creationTimestamp: this.timestamp() });
    const isNamespace = resource.group === '' && resource.resource === 'namespaces';
    return this.#store(
      'ADDED',
      resource,
      isNamespace ? { ...created, spec: { finalizers: ['kubernetes'] } } : created,
      undefined,
    );
  }

  update(resource: GroupResource, object: JsonObject, options?: ObjectWriteOptions): JsonObject {
    const previous = this.get(resource, keyOf(object));
    if (previous === undefined) throw notFound(resource, metaOf(object).name ?? '');
    if (metaOf(object).resourceVersion !== metaOf(previous).resourceVersion)
      throw conflict(resource, metaOf(object).name ?? '', 'the object has been modified');
    const next =
      options?.subresource === undefined && resource.resource === 'namespaces'
        ? { ...object, spec: previous['spec'] ?? {} }
        : object;
    return this.#isDone(next)
      ? this.#store('DELETED', resource, next, previous)
      : this.#store('MODIFIED', resource, next, previous);
  }

  delete(
    resource: GroupResource,
    key: ObjectKey,
    { uid, propagationPolicy }: DeleteOptions = {},
  ): JsonObject | undefined {
    const previous = this.get(resource, key);
    if (previous === undefined) throw notFound(resource, key.name);
    if (uid !== undefined && uid !== metaOf(previous).uid)
      throw conflict(resource, key.name, 'the uid in the precondition is another');
    const policy =
      propagationPolicy === 'Orphan' ? ['orphan'] : propagationPolicy === 'Foreground' ? ['foregroundDeletion'] : [];
    const finalizers = [...new Set([...(metaOf(previous).finalizers ?? []), ...policy])];
    const next = withMeta(previous, {
      deletionTimestamp: metaOf(previous).deletionTimestamp ?? this.timestamp(),
      finalizers: finalizers.length === 0 ? undefined : finalizers,
    });
    if (this.#isDone(next)) return void this.#store('DELETED', resource, next, previous);
    return this.#store('MODIFIED', resource, next, previous);
  }

  onChange(listener: (change: ObjectChange) => void): Disposable {
    return subscribe(this.#listeners, listener);
  }

  #isDone(object: JsonObject): boolean {
    return (
      isDeleting(object) &&
      (metaOf(object).finalizers ?? []).length === 0 &&
      stringsField(objectField(object, 'spec'), 'finalizers').length === 0
    );
  }

  #store(
    type: ObjectChange['type'],
    resource: GroupResource,
    object: JsonObject,
    previous: JsonObject | undefined,
  ): JsonObject {
    const revision = ++this.#revision;
    const written = withMeta(object, { resourceVersion: String(revision) });
    const key = keyOf(written);
    if (type === 'DELETED') this.#objects.delete(idOf(resource, key));
    else this.#objects.set(idOf(resource, key), written);
    for (const listener of this.#listeners)
      listener({
        type,
        resource: { group: resource.group, resource: resource.resource },
        key,
        object: written,
        previous,
        revision,
      });
    return written;
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): Disposable {
  listeners.add(listener);
  return {
    [Symbol.dispose]: () => {
      listeners.delete(listener);
    },
  };
}

const idOf = ({ group, resource }: GroupResource, { namespace, name }: ObjectKey): string =>
  `${group}/${resource}/${namespace}/${name}`;

function keyOf(object: JsonObject): ObjectKey {
  const { namespace = '', name = '' } = metaOf(object);
  return { namespace, name };
}
