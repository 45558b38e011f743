import {
  getIfExists,
  isSameResource,
  listAll,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
} from '@hawser/client';

import type { Dependency } from './dependencies.js';
import { isStored } from './is-stored.js';
import type { KcpCaches } from './kcp-caches.js';
import type { PairRecord } from './pair-record.js';
import type { SideName } from './problem-of.js';
import type { RelatedOptions, RelatedRun } from './related-run.js';
import { NotReady, Unreadable, refusalOf } from './related-unknown.js';
import type { ResourceKinds } from './resource-kinds.js';
import type { RelatedReaders, RelatedRule } from './rules.js';
import { namespaces } from './service-namespaces.js';

type Selected = Parameters<RelatedReaders['list']>[1];

/**
 * Reads related objects and their copies: in kcp from caches, on the service cluster one by one. Rejects with
 * `NotReady` or `Unreadable` if a cache cannot answer.
 */
export class RelatedReads {
  readonly #options: RelatedOptions;

  constructor(options: RelatedOptions) {
    this.#options = options;
  }

  /** Readers for one entry, on the side of the originals. They record their reads in `looked`. */
  readersFor({ origin }: RelatedRule, context: RelatedRun, looked: Dependency[]): RelatedReaders {
    const { cluster } = context.identity;
    const on = { side: origin, cluster: origin === 'kcp' ? cluster : undefined } as const;
    const look = (resource: Resource, what: Omit<Dependency, 'side' | 'cluster' | 'resource'>): void => {
      this.#open(origin, resource);
      const dependency: Dependency = { ...on, resource, ...what };
      looked.push(dependency);
      this.#options.looking(context.key, dependency);
    };
    return {
      get: async (resource, key) => {
        look(resource, { namespace: key.namespace, name: key.name });
        return this.#read(context, origin, resource, key);
      },
      list: async (resource, selected) => {
        look(resource, { namespace: selected.namespace, matches: selected.matches });
        return this.#list(context, origin, resource, selected);
      },
    };
  }

  /**
   * Reads the original of a pair that its primary no longer references. Unless the primary is going, kcp must have it
   * as the cache shows it: only then its labels do not select it any more. Records the read in `looked`.
   */
  async source(
    context: RelatedRun,
    { origin, kcp, service, source }: PairRecord,
    looked: Dependency[],
  ): Promise<UnstructuredObject | undefined> {
    const object = await this.#read(context, origin, origin === 'kcp' ? kcp : service, source);
    if (origin === 'service' || object === undefined || context.isStored === undefined) return object;
    const { cluster } = context.identity;
    const dependency: Dependency = { side: 'kcp', cluster, resource: kcp, ...source };
    looked.push(dependency);
    this.#options.looking(context.key, dependency);
    const client = this.#options.kcp.clientFor(cluster);
    if (client === undefined || !(await isStored(client, kcp, object, context.signal)))
      throw new NotReady('the cache does not show the present original');
    return object;
  }

  /** Reads the object in the place of the copy. */
  async copy(
    { identity, signal }: RelatedRun,
    { origin, kcp: onKcp, service: onService, destination }: PairRecord,
  ): Promise<UnstructuredObject | undefined> {
    // Any answer but one about this very object is an error, not its absence.
    return origin === 'kcp'
      ? getIfExists(this.#options.service, onService, destination, { signal })
      : this.#cacheOf(onKcp, identity.cluster).get({ cluster: identity.cluster, ...destination });
  }

  /** The kind of a record's copies, as their server names it. */
  kindOfCopy(
    { identity: { cluster }, signal }: RelatedRun,
    { origin, kcp, service }: PairRecord,
  ): ReturnType<ResourceKinds['of']> {
    if (origin === 'kcp') return this.#options.kinds.of('service', this.#options.service, service, signal);
    const engagement = this.#options.kcp.engagementOf(cluster);
    if (engagement === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
    return this.#options.kinds.of(engagement.url, engagement.clientFor(cluster), kcp, signal);
  }

  #open(side: SideName, resource: Resource): void {
    if (side === 'kcp') this.#options.kcp.open(resource);
    else this.#options.watches.open(resource);
  }

  async #read(
    { identity: { cluster }, signal }: RelatedRun,
    side: SideName,
    resource: Resource,
    key: ObjectKey,
  ): Promise<UnstructuredObject | undefined> {
    return side === 'kcp'
      ? this.#cacheOf(resource, cluster).get({ cluster, ...key })
      : getIfExists(this.#options.service, resource, key, { signal });
  }

  async #list(
    { identity: { cluster }, signal }: RelatedRun,
    side: SideName,
    resource: Resource,
    { namespace, labelSelector, matches }: Selected,
  ): Promise<readonly UnstructuredObject[]> {
    // Watched objects need no list for each primary. Of namespaces only names are needed.
    const cached =
      side === 'kcp'
        ? this.#cacheOf(resource, cluster).list(namespace, cluster)
        : isSameResource(resource, namespaces)
          ? this.#options.watches.list(resource)
          : undefined;
    return (
      cached?.filter(({ metadata: { labels = {} } }) => matches(labels)) ??
      listAll(this.#options.service, resource, { namespace, labelSelector, signal })
    );
  }

  #cacheOf(resource: Resource, cluster: string): NonNullable<ReturnType<KcpCaches['cache']>> {
    const cache = this.#options.kcp.cache(resource, cluster);
    if (cache === undefined) throw new NotReady(`workspace ${cluster} is not bound`);
    const refused = cache.state.phase === 'waiting' ? refusalOf(cache.state.error, 'kcp') : undefined;
    if (refused !== undefined) throw new Unreadable(refused);
    if (!cache.hasSynced) throw new NotReady(`${resource.resource} in kcp are not read yet`);
    return cache;
  }
}
