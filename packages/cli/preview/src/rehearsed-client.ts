import {
  type Client,
  type DeleteOptions,
  type DeleteResult,
  type KubeList,
  type KubeObject,
  type ListOptions,
  type ObjectKey,
  type Patch,
  type ReadOptions,
  type RequestOptions,
  type Resource,
  type UnstructuredObject,
  type WatchOptions,
  type WatchStream,
  type WriteOptions,
  getIfExists,
  isApiError,
  keyOf,
} from '@hawser/client';

import { isAnother, refusal } from './answers.js';
import { patched } from './patched.js';
import { reading } from './reading.js';
import type { Known, RehearsedWorld } from './rehearsed-world.js';

export interface RehearsedClientOptions<Side, Purpose = never> {
  /** Target of the requests. */
  readonly side: Side;
  readonly world: RehearsedWorld<Side, Purpose>;
  /** Asks the API server by a dry run what it would make of each write. */
  readonly dryRun: boolean;
  /** Called for every request that begins (1) and ends (-1), except watches. */
  readonly onRequest: (by: 1 | -1) => void;
  /** Target of requests below another path. Absent: the same side. */
  readonly sideOf?: ((path: string) => Side) | undefined;
  /** The fields that the server adds to an object on creation. */
  readonly made?: ((object: UnstructuredObject, side: Side) => UnstructuredObject) | undefined;
}

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/**
 * Reads the cluster, and notes each write instead of sending it. Answers as the server would; later reads show the
 * noted writes. Drops Events.
 */
export class RehearsedClient<Side, Purpose = never> implements Client {
  readonly name: string;
  readonly #real: Client;
  readonly #live: Client;
  readonly #options: RehearsedClientOptions<Side, Purpose>;

  constructor(real: Client, options: RehearsedClientOptions<Side, Purpose>) {
    this.name = real.name;
    this.#real = real;
    this.#live = reading(real, 30_000);
    this.#options = options;
  }

  get<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<T> {
    return this.#counted(async () => {
      const known = this.#known(resource, key);
      if (known?.kind === 'gone') throw this.#refusal('NotFound', 'get', resource, key);
      return known === undefined ? this.#live.get<T>(resource, key, options) : as<T>(known.object);
    });
  }

  list<T extends KubeObject = UnstructuredObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>> {
    return this.#counted(async () => {
      const page = await this.#live.list<T>(resource, options);
      const items = page.items.flatMap((item): T[] => {
        const known = this.#known(resource, keyOf(item));
        return known === undefined ? [item] : known.kind === 'gone' ? [] : [as<T>(known.object)];
      });
      return { ...page, items };
    });
  }

  watch<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    options?: WatchOptions,
  ): Promise<WatchStream<T>> {
    return this.#live.watch<T>(resource, options);
  }

  raw(method: 'GET' | 'POST', path: string, body?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.#counted(() => this.#live.raw(method, path, body, options));
  }

  create<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#inTurn(resource, keyOf(object), async () =>
      isEvent(resource) ? (object as T) : as<T>(await this.#create(resource, object, options)),
    );
  }

  update<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#inTurn(resource, keyOf(object), async () =>
      isEvent(resource) ? (object as T) : as<T>(await this.#update(resource, object, options)),
    );
  }

  patch<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#inTurn(resource, key, async () =>
      isEvent(resource)
        ? ({ apiVersion: '', kind: '', metadata: key } as T)
        : as<T>(await this.#patch(resource, key, patch, options)),
    );
  }

  delete(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<DeleteResult> {
    return this.#inTurn(resource, key, () => this.#delete(resource, key, options));
  }

  withWriteGuard(signal: AbortSignal): Client {
    return new RehearsedClient(this.#real.withWriteGuard(signal), this.#options);
  }

  at(path: string, name?: string): Client {
    const { side, sideOf = () => side } = this.#options;
    return new RehearsedClient(this.#real.at(path, name), { ...this.#options, side: sideOf(path) });
  }

  close(): Promise<void> {
    return this.#real.close();
  }

  async #create(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions | undefined,
  ): Promise<UnstructuredObject> {
    const { world, side, made = (one: UnstructuredObject) => one } = this.#options;
    const key = keyOf(object);
    const { namespace } = key;
    const { signal } = options ?? {};
    if (namespace !== undefined && !(await this.#exists(NAMESPACES, { name: namespace }, true, signal)))
      throw this.#refusal('NotFound', 'create', NAMESPACES, { name: namespace });
    if (await this.#exists(resource, key, false, signal)) throw this.#refusal('AlreadyExists', 'create', resource, key);
    const sent = object as UnstructuredObject;
    // A dry run needs an existing namespace.
    const inNew = namespace !== undefined && this.#known(NAMESPACES, { name: namespace }) !== undefined;
    const after = inNew
      ? sent
      : await this.#asked(resource, key, sent, () => this.#live.create(resource, object, dry(options)));
    world.note(side, { verb: 'create', resource, key, after });
    const uid = `new-${world.writes.length}`;
    const answer = made(world.renewed({ ...after, metadata: { ...after.metadata, uid } }), side);
    world.remember(side, resource, key, { kind: 'present', object: answer, made: true });
    return answer;
  }

  async #update(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions | undefined,
  ): Promise<UnstructuredObject> {
    const key = keyOf(object);
    const before = await this.#current(resource, key, 'update', options?.signal);
    if (isAnother(object, before)) throw this.#refusal('Conflict', 'update', resource, key);
    const sent = object as UnstructuredObject;
    const local =
      options?.subresource === 'status'
        ? { ...before, status: sent['status'] }
        : { ...sent, metadata: { ...before.metadata, ...sent.metadata } };
    const after = await this.#asked(resource, key, local, () => this.#live.update(resource, object, dry(options)));
    return this.#written('update', resource, key, options, before, after);
  }

  async #patch(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions | undefined,
  ): Promise<UnstructuredObject> {
    const before = await this.#current(resource, key, 'patch', options?.signal);
    if (patch.type === 'merge' && isAnother(patch.patch as Parameters<typeof isAnother>[0], before))
      throw this.#refusal('Conflict', 'patch', resource, key);
    const whole = patched(before, patch) ?? before;
    const local = {
      ...(options?.subresource === 'status' ? { ...before, status: whole['status'] } : whole),
      apiVersion: before.apiVersion,
      kind: before.kind,
    };
    const after = await this.#asked(resource, key, local, () => this.#live.patch(resource, key, patch, dry(options)));
    // The agent itself asked for a dry run.
    return options?.dryRun === true ? after : this.#written('patch', resource, key, options, before, after);
  }

  async #delete(resource: Resource, key: ObjectKey, options: DeleteOptions | undefined): Promise<DeleteResult> {
    const { world, side, dryRun } = this.#options;
    const before = await this.#current(resource, key, 'delete', options?.signal);
    if (isAnother({ metadata: options?.preconditions }, before))
      throw this.#refusal('Conflict', 'delete', resource, key);
    if (dryRun && this.#known(resource, key) === undefined)
      await this.#live.delete(resource, key, { ...options, dryRun: true });
    world.note(side, { verb: 'delete', resource, key, before });
    if ((before.metadata.finalizers ?? []).length === 0) {
      world.remember(side, resource, key, { kind: 'gone' });
      return { kind: 'gone' };
    }
    const deletionTimestamp = before.metadata.deletionTimestamp ?? new Date(0).toISOString();
    const going = world.renewed({ ...before, metadata: { ...before.metadata, deletionTimestamp } });
    return { kind: 'terminating', object: world.changed(side, resource, key, going) };
  }

  #written(
    verb: 'update' | 'patch',
    resource: Resource,
    key: ObjectKey,
    options: WriteOptions | undefined,
    before: UnstructuredObject,
    after: UnstructuredObject,
  ): UnstructuredObject {
    const { world, side } = this.#options;
    world.note(side, { verb, resource, key, subresource: options?.subresource, before, after });
    return world.changed(side, resource, key, world.renewed(after));
  }

  #known(resource: Resource, key: ObjectKey): Known | undefined {
    return this.#options.world.known(this.#options.side, resource, key);
  }

  /** The current object with the writes so far. @throws ApiError NotFound */
  async #current(
    resource: Resource,
    key: ObjectKey,
    verb: string,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject> {
    const known = this.#known(resource, key);
    if (known?.kind === 'gone') throw this.#refusal('NotFound', verb, resource, key);
    return known?.object ?? this.#live.get(resource, key, { signal });
  }

  async #exists(
    resource: Resource,
    key: ObjectKey,
    unknown: boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const known = this.#known(resource, key);
    if (known !== undefined) return known.kind === 'present';
    try {
      return (await getIfExists(this.#live, resource, key, { representation: 'metadata', signal })) !== undefined;
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return unknown;
      throw error;
    }
  }

  /**
   * The server's answer to the first write of an object; for later writes the local result, as the server does not know
   * the first.
   */
  async #asked(
    resource: Resource,
    key: ObjectKey,
    local: UnstructuredObject,
    ask: () => Promise<UnstructuredObject>,
  ): Promise<UnstructuredObject> {
    return this.#options.dryRun && this.#known(resource, key) === undefined ? ask() : local;
  }

  #refusal(
    code: Parameters<typeof refusal>[0],
    verb: string,
    resource: Resource,
    key: ObjectKey,
  ): ReturnType<typeof refusal> {
    return refusal(code, this.name, verb, resource, key);
  }

  #inTurn<T>(resource: Resource, key: ObjectKey, work: () => Promise<T>): Promise<T> {
    const { world, side } = this.#options;
    return this.#counted(() => world.inTurn(side, resource, key, work));
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#options.onRequest(1);
    try {
      return await work();
    } finally {
      this.#options.onRequest(-1);
    }
  }
}

function isEvent({ resource }: Resource): boolean {
  return resource === 'events';
}

function dry(options: WriteOptions | undefined): WriteOptions {
  return { ...options, dryRun: true, representation: 'full' };
}

function as<T extends KubeObject>(object: UnstructuredObject): T {
  return object as unknown as T;
}
