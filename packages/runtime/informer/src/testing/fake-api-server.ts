import {
  AnswerTooLongError,
  ApiError,
  type ApiErrorCode,
  type Client,
  type KubeList,
  type KubeObject,
  type ListOptions,
  type WatchEvent,
  type WatchOptions,
  type WatchStream,
} from '@hawser/client';
import { FakeWatch } from './fake-watch.js';
import type { Thing } from './thing.js';

interface LogEntry {
  readonly resourceVersion: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Thing;
}

interface Snapshot {
  readonly resourceVersion: number;
  readonly items: readonly Thing[];
}

/** Contents of a backup. */
export interface Backup {
  readonly resourceVersion: number;
  readonly objects: ReadonlyMap<string, Thing>;
}

/** Replaces the answer to the next request; `hang` lasts until the request is aborted. */
export type Fault = ApiError | 'hang';

/**
 * The API server as an informer sees it: one resource with versions, pages, expiring continue tokens, watches,
 * bookmarks, and every fault on demand. It answers at once, and has no timer.
 */
export class FakeApiServer {
  readonly objects = new Map<string, Thing>();
  /** Every version of every object ever. */
  readonly history: Thing[] = [];
  readonly listFaults: (Fault | undefined)[] = [];
  readonly watchFaults: (Fault | undefined)[] = [];
  readonly listRequests: ListOptions[] = [];
  readonly watchRequests: WatchOptions[] = [];
  /** Makes every page claim a next one: with the same token, or with ever new ones and no object. */
  endless: 'repeats' | 'empty' | undefined;
  /** Bytes of an object by name in an answer; default 1 000. */
  readonly lengths = new Map<string, number>();
  /** Most bytes that the client reads. */
  maxAnswerBytes = 128 * 1024 * 1024;
  /** Called before the answer to each page. */
  beforePage: (page: number) => void = () => undefined;
  #resourceVersion = 100;
  #compacted = 0;
  #uid = 0;
  #log: LogEntry[] = [];
  #snapshots = new Map<string, Snapshot>();
  readonly #watches = new Set<FakeWatch>();
  readonly #nested = new Map<string, () => unknown>();

  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  create(name: string, value = 0, namespace = 'default', cluster?: string): Thing {
    const resourceVersion = ++this.#resourceVersion;
    const annotations = cluster === undefined ? {} : { annotations: { [CLUSTER]: cluster } };
    return this.#store('ADDED', {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: {
        name,
        namespace,
        uid: `uid-${++this.#uid}`,
        resourceVersion: String(resourceVersion),
        ...annotations,
      },
      spec: { value },
    });
  }

  update(name: string, value: number, namespace = 'default', cluster?: string): Thing {
    const before = this.#existing(name, namespace, cluster);
    return this.#store('MODIFIED', {
      ...before,
      metadata: { ...before.metadata, resourceVersion: String(++this.#resourceVersion) },
      spec: { value },
    });
  }

  delete(name: string, namespace = 'default', cluster?: string): Thing {
    const before = this.#existing(name, namespace, cluster);
    return this.#store('DELETED', {
      ...before,
      metadata: { ...before.metadata, resourceVersion: String(++this.#resourceVersion) },
    });
  }

  /** Counts writes to other resources. */
  pass(versions: number): void {
    this.#resourceVersion += versions;
  }

  /** Forgets history: older watches and continue tokens get a 410. */
  compact(): void {
    this.#compacted = this.#resourceVersion;
    this.#log = [];
    this.#snapshots.clear();
  }

  backup(): Backup {
    return { resourceVersion: this.#resourceVersion, objects: new Map(this.objects) };
  }

  /** Restarts the server from a backup: versions go backwards, and connections are lost. */
  restore(backup: Backup): void {
    this.#resourceVersion = backup.resourceVersion;
    this.objects.clear();
    for (const [key, object] of backup.objects) this.objects.set(key, object);
    this.#log = this.#log.filter((entry) => entry.resourceVersion <= backup.resourceVersion);
    this.#snapshots.clear();
    this.failWatches(apiError('Unreachable'));
    this.watchFaults.unshift(apiError('Unreachable'));
  }

  /** From then on, objects of that name have this in `status`, rebuilt at each read. */
  nest(name: string, status: () => unknown): void {
    this.#nested.set(name, status);
  }

  bookmark(): void {
    for (const watch of this.#watches) {
      // Like the real server, sends no bookmark without news.
      if (this.#resourceVersion > watch.sent)
        watch.push(
          { type: 'BOOKMARK', object: { metadata: { resourceVersion: this.resourceVersion } } },
          this.#resourceVersion,
        );
    }
  }

  /** Sends an event unchanged to every open watch. */
  send(event: WatchEvent<Thing>): void {
    for (const watch of this.#watches) watch.push(event, watch.sent);
  }

  endWatches(): void {
    for (const watch of this.#watches) watch.end();
  }

  failWatches(error: ApiError): void {
    for (const watch of this.#watches) watch.fail(error);
  }

  /** Connections stay open, but deliver nothing any more. */
  silenceWatches(): void {
    for (const watch of this.#watches) watch.silence();
  }

  readonly client: Client = {
    name: 'fake',
    list: async (_resource: unknown, options: ListOptions = {}) => (await this.#list(options)) as never,
    watch: async (_resource: unknown, options: WatchOptions = {}) => (await this.#watch(options)) as never,
    get: unsupported,
    create: unsupported,
    update: unsupported,
    patch: unsupported,
    delete: unsupported,
    raw: unsupported,
    withWriteGuard: () => this.client,
    at: () => this.client,
    close: () => Promise.resolve(),
  };

  async #list(options: ListOptions): Promise<KubeList<Thing>> {
    const page = await this.#page(options);
    const length = page.items.reduce(
      (sum, { metadata: { name } }) =>
        sum + (options.representation === 'metadata' ? 100 : (this.lengths.get(name) ?? 1_000)),
      0,
    );
    const most = Math.min(options.maxBytes ?? Infinity, this.maxAnswerBytes);
    if (length > most) throw apiError('Malformed', 'the answer is too long', {}, new AnswerTooLongError(most));
    return page;
  }

  async #page(options: ListOptions): Promise<KubeList<Thing>> {
    this.listRequests.push(options);
    await this.#meet(this.listFaults, options.signal);
    this.beforePage(this.listRequests.length);
    if (this.endless !== undefined) {
      const metadata = {
        resourceVersion: this.resourceVersion,
        continue: this.endless === 'repeats' ? 'again' : `page-${this.listRequests.length}`,
      };
      return { metadata, items: this.endless === 'repeats' ? this.#parsed([...this.objects.values()]) : [] };
    }
    const snapshot = this.#snapshot(options);
    const start = options.continue === undefined ? 0 : Number(options.continue.split('@')[1]);
    const end = options.limit === undefined ? snapshot.items.length : start + options.limit;
    const metadata = { resourceVersion: String(snapshot.resourceVersion) };
    if (end >= snapshot.items.length) return { metadata, items: this.#parsed(snapshot.items.slice(start)) };
    const token = `${snapshot.resourceVersion}@${end}`;
    this.#snapshots.set(token, snapshot);
    return { metadata: { ...metadata, continue: token }, items: this.#parsed(snapshot.items.slice(start, end)) };
  }

  #snapshot(options: ListOptions): Snapshot {
    if (options.continue === undefined) {
      return {
        resourceVersion: this.#resourceVersion,
        items: [...this.objects.values()].filter((object) => isSelected(object, options)),
      };
    }
    const snapshot = this.#snapshots.get(options.continue);
    if (snapshot === undefined) throw apiError('Expired', 'the continue token has expired');
    return snapshot;
  }

  async #watch(options: WatchOptions): Promise<WatchStream<Thing>> {
    this.watchRequests.push(options);
    await this.#meet(this.watchFaults, options.signal);
    const since = Number(options.resourceVersion);
    if (since < this.#compacted) throw apiError('Expired', 'too old resource version');
    const watch = new FakeWatch(
      since,
      (object) => isSelected(object, options),
      () => {
        this.#watches.delete(watch);
      },
      options.signal,
      options.known,
    );
    this.#watches.add(watch);
    for (const entry of this.#log) this.#push(watch, entry);
    return watch;
  }

  async #meet(faults: (Fault | undefined)[], signal: AbortSignal | undefined): Promise<void> {
    const fault = faults.shift();
    if (fault === 'hang')
      await new Promise<void>((resolve) => {
        signal?.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      });
    else await Promise.resolve();
    if (signal?.aborted === true) throw apiError('Aborted');
    if (fault instanceof ApiError) throw fault;
  }

  #existing(name: string, namespace: string, cluster: string | undefined): Thing {
    const object = this.objects.get(thingKey({ name, namespace }, cluster));
    if (object === undefined) throw new Error(`no ${namespace}/${name}`);
    return object;
  }

  #store(type: LogEntry['type'], object: Thing): Thing {
    const key = thingKey(object.metadata, clusterOf(object));
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, object);
    const entry = { resourceVersion: this.#resourceVersion, type, object };
    this.#log.push(entry);
    if (type !== 'DELETED') this.history.push(object);
    for (const watch of this.#watches) this.#push(watch, entry);
    return parsed([object])[0] ?? object;
  }

  #parsed(objects: readonly Thing[]): Thing[] {
    return parsed(objects).map((object) => {
      const status = this.#nested.get(object.metadata.name);
      return status === undefined ? object : { ...object, status: status() };
    });
  }

  #push(watch: FakeWatch, entry: LogEntry): void {
    if (entry.resourceVersion > watch.sent && watch.selects(entry.object))
      watch.push({ type: entry.type, object: this.#parsed([entry.object])[0] ?? entry.object }, entry.resourceVersion);
  }
}

const CLUSTER = 'kcp.io/cluster';

/** The cluster, as kcp notes it. */
export function clusterOf(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[CLUSTER];
}

/** `namespace/name`, with a `cluster|` prefix if the object has a cluster. */
export function thingKey(
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  cluster: string | undefined,
): string {
  return `${cluster === undefined ? '' : `${cluster}|`}${namespace ?? ''}/${name}`;
}

export function apiError(
  code: ApiErrorCode,
  message: string = code,
  details: ApiError['details'] = {},
  cause?: unknown,
): ApiError {
  return new ApiError(
    code,
    message,
    { cluster: 'fake', verb: 'list', resource: 'things.example.com' },
    { ...details, ...(cause === undefined ? {} : { cause }) },
  );
}

function isSelected(object: KubeObject, { namespace }: ListOptions | WatchOptions): boolean {
  return namespace === undefined || object.metadata.namespace === namespace;
}

/** New objects each time, as they come out of a parser. */
function parsed(objects: readonly Thing[]): Thing[] {
  return JSON.parse(JSON.stringify(objects)) as Thing[];
}

function unsupported(): Promise<never> {
  return Promise.reject(new Error('an informer only lists and watches'));
}
