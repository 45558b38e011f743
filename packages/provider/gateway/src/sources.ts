import { type Client, type Resource, isApiError } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { isFields } from '@hawser/json';
import type { Logger } from '@hawser/telemetry';
import { noSuchPath, unavailable } from './refused.js';
import { type Served, Source } from './source.js';
import { refusalOf } from './upstream-error.js';

export interface SourcesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** After this idle time a resource is no longer watched. */
const IDLE_MS = 600_000;

/** The watched resources: from the first request until ten minutes without one. */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #sources = new Map<string, Promise<Source>>();
  readonly #open = new Set<Source>();
  #closed = false;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** The resources that are watched now. */
  get all(): Iterable<Source> {
    return this.#open;
  }

  /** Whether no client can continue a watch from `version`. */
  isForgotten(name: string, version: string): boolean {
    for (const { served, history } of this.#open)
      if (
        `${served.resource.resource}.${served.resource.group}` === name &&
        history.positionAfter(version) !== undefined
      )
        return false;
    return true;
  }

  /** @throws {Refused} 404 if the API server has no such resource */
  async get(resource: Resource): Promise<Source> {
    if (this.#closed) throw unavailable('the gateway ends');
    const key = `${resource.resource}.${resource.group}/${resource.version}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const opening = this.#describe(resource).then((served) => {
      if (this.#closed) throw unavailable('the gateway ends');
      const source = new Source({ ...this.#options, served });
      this.#open.add(source);
      return source;
    });
    this.#sources.set(key, opening);
    opening.catch(() => this.#sources.delete(key));
    return opening;
  }

  /** Ends unused resources, and those that the API server no longer has: they may return with another definition. */
  async sweep(): Promise<void> {
    for (const [key, opening] of [...this.#sources]) {
      const source = await opening.catch(() => undefined);
      if (source === undefined) continue;
      const { state } = source;
      const isGone = state.phase === 'waiting' && state.error.code === 'NotFound';
      if (source.idleMs < IDLE_MS && !isGone) continue;
      this.#sources.delete(key);
      this.#open.delete(source);
      await source.close();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sources.values()].map((opening) => opening.catch(() => undefined)));
    await Promise.all([...this.#open].map((source) => source.close()));
    this.#open.clear();
    this.#sources.clear();
  }

  async #describe(resource: Resource): Promise<Served> {
    const { client } = this.#options;
    const path = `/apis/${resource.group}/${resource.version}`;
    try {
      const discovered = await client.raw('GET', path);
      const all: unknown = isFields(discovered) ? discovered['resources'] : undefined;
      const found = Array.isArray(all)
        ? (all as unknown[]).filter(isFields).find(({ name }) => name === resource.resource)
        : undefined;
      if (found === undefined) throw noSuchPath();
      const { kind, namespaced } = found;
      const list = await client.raw('GET', `${path}/${resource.resource}?limit=1`);
      const listKind = isFields(list) && typeof list['kind'] === 'string' ? list['kind'] : `${String(kind)}List`;
      return { resource, kind: String(kind), listKind, namespaced: namespaced === true };
    } catch (error) {
      throw isApiError(error) ? refusalOf(error) : error;
    }
  }
}
