import {
  type ApiError,
  type Client,
  type KubeObject,
  type ListSnapshot,
  type Resource,
  isApiError,
  listSnapshot,
} from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { Turns } from '@hawser/controller';
import { type InformerState, Reflector, isOlder } from '@hawser/informer';
import type { Logger } from '@hawser/telemetry';
import { History } from './history.js';
import { refusalOf } from './upstream-error.js';
import { badRequest, tooLarge, unavailable } from './refused.js';

/** The API server's description of a resource. */
export interface Served {
  readonly resource: Resource;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
}

/** All objects of a resource at one version. */
export interface Snapshot {
  readonly version: string;
  readonly objects: readonly KubeObject[];
}

export interface SourceOptions {
  readonly served: Served;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const READY_MS = 15_000;
const FRESH_MS = 3_000;
const KEPT_SNAPSHOTS = 4;
const KEPT_MS = 120_000;
/** After this time the gateway notices a changed CRD. */
const SELECTABLE_MS = 60_000;
const MOST_SELECTABLE = 100;

/** One resource, for all consumers: one list and watch on the API server. */
export class Source {
  readonly served: Served;
  readonly history = new History();
  readonly #options: SourceOptions;
  readonly #reflector: Reflector;
  readonly #lifetime = new AbortController();
  /** The newest last. */
  #kept: { readonly snapshot: Snapshot; readonly at: number }[] = [];
  #listing: Promise<Snapshot> | undefined;
  #nextListing: Promise<Snapshot> | undefined;
  #newestListed = '0';
  /** Old versions that are being read. */
  readonly #reading = new Map<string, Promise<Snapshot>>();
  readonly #turns = new Turns();
  /** By field: whether the API server selects by it. */
  readonly #selectable = new Map<string, { readonly answer: Promise<boolean>; readonly at: number }>();
  #usedAt: number;
  #users = 0;

  constructor(options: SourceOptions) {
    const { served, client, clock, random, logger } = options;
    this.served = served;
    this.#options = options;
    this.#usedAt = clock.monotonic();
    this.#reflector = new Reflector({
      client,
      clock,
      random,
      logger,
      spec: { resource: served.resource, keepManagedFields: true },
      pageSize: 500,
      stallTimeoutMs: 120_000,
      backoff: { initialMs: 500, capMs: 30_000 },
      cache: this.history,
      observer: {
        onState: () => undefined,
        onListed: () => undefined,
        onRelist: () => undefined,
        onWatchEnd: () => undefined,
        onHeard: () => undefined,
        onUnusable: (object, error) => {
          this.history.miss();
          logger.warn('An object cannot be read, so the gateway shows nothing of its resource until it can.', {
            resource: served.resource.resource,
            namespace: object?.metadata.namespace,
            name: object?.metadata.name,
            error,
          });
        },
      },
    });
    this.#reflector.start();
  }

  /** The newest version that a consumer can know. */
  get newestShown(): string {
    const { resourceVersion: known = '0' } = this.history;
    return isOlder(known, this.#newestListed) ? this.#newestListed : known;
  }

  get state(): InformerState {
    return this.#reflector.state;
  }

  /** Milliseconds since the last use; 0 while in use. */
  get idleMs(): number {
    return this.#users > 0 ? 0 : this.#options.clock.monotonic() - this.#usedAt;
  }

  /** In use until the returned function is called. */
  use(): () => void {
    this.#users++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#users--;
      this.#usedAt = this.#options.clock.monotonic();
    };
  }

  /**
   * Resolves when the objects are known.
   * @throws {Refused} 503 if they are not, or not all, known after some time; any refusal of the API server
   */
  async ready(): Promise<void> {
    await this.filled();
    if (this.history.incomplete) throw unavailable('not all objects can be read, please try again');
  }

  /** Resolves when the objects are known, except unreadable ones. @throws {Refused} as {@link ready} */
  async filled(): Promise<void> {
    await this.#until(() => this.history.synced, READY_MS);
    if (!this.history.synced) {
      const { state } = this;
      throw state.phase === 'waiting'
        ? refusalOf(state.error)
        : unavailable('the objects are being read, please try again');
    }
  }

  /** The state known here: never older than what was shown before. */
  known(): Snapshot {
    return { version: this.history.resourceVersion ?? '', objects: [...this.history.objects()] };
  }

  /** As {@link known}, but not older than `version`. */
  async notOlderThan(version: string): Promise<Snapshot> {
    const isThere = (): boolean => !isOlder(this.history.resourceVersion, version);
    await this.#until(isThere, FRESH_MS);
    return isThere() ? this.known() : this.latest();
  }

  /**
   * The state on the API server now, or later. Simultaneous callers share one list, which begins after their calls.
   */
  latest(): Promise<Snapshot> {
    if (this.#listing === undefined) return this.#list();
    this.#nextListing ??= this.#listing
      .catch(() => undefined)
      .then(() => {
        this.#nextListing = undefined;
        return this.#list();
      });
    return this.#nextListing;
  }

  /**
   * The state at `version`. Each version is a list of all objects: callers share it, and one consumer has one read at a
   * time.
   * @throws {Refused} 410 if the API server no longer knows it.
   */
  async at(version: string, consumer: string): Promise<Snapshot> {
    return (
      this.#oldAt(version) ?? this.#turns.take(consumer, async () => this.#oldAt(version) ?? this.#readAt(version))
    );
  }

  #oldAt(version: string): Promise<Snapshot> | undefined {
    const now = this.#options.clock.monotonic();
    const kept = this.#kept.find(({ snapshot, at }) => snapshot.version === version && now - at < KEPT_MS);
    return kept === undefined ? this.#reading.get(version) : Promise.resolve(kept.snapshot);
  }

  #readAt(version: string): Promise<Snapshot> {
    const reading = this.#read({ resourceVersion: version, resourceVersionMatch: 'Exact' }).then(
      (list) => this.#keep(list),
      (error: unknown) => {
        if (isApiError(error) && isTooLarge(error)) throw tooLarge(version, this.newestShown);
        throw isApiError(error) ? refusalOf(error) : error;
      },
    );
    this.#reading.set(version, reading);
    const over = (): void => {
      this.#reading.delete(version);
    };
    reading.then(over, over);
    return reading;
  }

  /** @throws {Refused} 400 for a field by which the API server does not select objects of this resource. */
  async checkFields(fields: Iterable<string>): Promise<void> {
    for (const field of fields) {
      if (field === 'metadata.name' || (field === 'metadata.namespace' && this.served.namespaced)) continue;
      if (field === 'metadata.namespace' || !(await this.#isSelectable(field)))
        throw badRequest(`field label not supported: ${field}`);
    }
  }

  /** The gateway has no right to read the CRD. So it asks the API server for objects with a value that none has. */
  #isSelectable(field: string): Promise<boolean> {
    const now = this.#options.clock.monotonic();
    const known = this.#selectable.get(field);
    if (known !== undefined && now - known.at < SELECTABLE_MS) return known.answer;
    const answer = this.#askSelectable(field);
    if (this.#selectable.size >= MOST_SELECTABLE) this.#selectable.clear();
    this.#selectable.set(field, { answer, at: now });
    answer.catch(() => {
      if (this.#selectable.get(field)?.answer === answer) this.#selectable.delete(field);
    });
    return answer;
  }

  async #askSelectable(field: string): Promise<boolean> {
    const { group, version, resource } = this.served.resource;
    const query = new URLSearchParams({ limit: '1', fieldSelector: `${field}=hawser.dev/none` });
    try {
      await this.#options.client.raw('GET', `/apis/${group}/${version}/${resource}?${query.toString()}`, undefined, {
        signal: this.#lifetime.signal,
      });
      return true;
    } catch (error) {
      if (isApiError(error, 'BadRequest')) return false;
      throw isApiError(error) ? refusalOf(error) : error;
    }
  }

  async close(): Promise<void> {
    this.#lifetime.abort(unavailable('the gateway ends'));
    await this.#reflector.stop();
    this.history.close();
  }

  #list(): Promise<Snapshot> {
    const before = this.newestShown;
    const listing = this.#read({}).then(
      (list) => {
        if (isOlder(list.resourceVersion, before)) this.#restored();
        return this.#keep(list);
      },
      (error: unknown) => {
        throw isApiError(error) ? refusalOf(error) : error;
      },
    );
    this.#listing = listing;
    const over = (): void => {
      if (this.#listing === listing) this.#listing = undefined;
    };
    listing.then(over, over);
    return listing;
  }

  /** The API server is behind its former version: a backup was restored, and versions repeat. */
  #restored(): void {
    this.#kept = [];
    this.#newestListed = '0';
    this.#reflector.relist();
  }

  #read(options: {
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact';
  }): Promise<ListSnapshot<KubeObject>> {
    return listSnapshot<KubeObject>(
      this.#options.client,
      this.served.resource,
      { ...options, signal: this.#lifetime.signal },
      (object) => this.history.same(object),
    );
  }

  #keep({ resourceVersion: version = '', items: objects }: ListSnapshot<KubeObject>): Snapshot {
    const now = this.#options.clock.monotonic();
    const snapshot = { version, objects };
    if (isOlder(this.#newestListed, version)) this.#newestListed = version;
    this.#kept = [
      ...this.#kept.filter(({ at, snapshot: other }) => now - at < KEPT_MS && other.version !== version),
      { snapshot, at: now },
    ].slice(-KEPT_SNAPSHOTS);
    return snapshot;
  }

  /** Resolves when `isTrue`, or after `ms` at the latest. */
  #until(isTrue: () => boolean, ms: number): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        forget();
        resolve();
      };
      const look = (): void => {
        if (isTrue() || this.#lifetime.signal.aborted) end();
      };
      const timer = this.#options.clock.setTimeout(end, ms);
      const forget = this.history.listen({ advanced: look, reset: look });
    });
  }
}

const isTooLarge = ({ status }: ApiError): boolean =>
  status?.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true;
