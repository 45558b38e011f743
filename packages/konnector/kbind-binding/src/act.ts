import { type Client, getIfExists, keyOf, type KubeObject, objectKey, versionOf } from '@hawser/client';
import { type Outcome, StaleError, type Watched, WriteBudget, writesUndone } from '@hawser/controller';
import {
  annotations,
  type Binding,
  connectionNamed,
  connectionOf,
  finalizers,
  pairDialect,
  resources,
} from '@hawser/core-kbind';
import { type Links, type ProviderLink, statusPace } from '@hawser/kbind-connection';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { storedResource } from '@hawser/kube-bind';
import type { Action } from './actions.js';
import { apisOf, isNeeded, rivalOf } from './coverage.js';
import { writeCRD } from './crd-writes.js';
import { statusOf } from './decide.js';
import { countHeld, heldObjects } from './held-objects.js';
import { RELATED_KINDS } from './related/decide-related.js';
import { isUnfinishedAt } from './object-route.js';
import type { RunningRelated } from './related/running-related.js';
import type { Routes } from './router.js';
import type { RunningSyncs } from './running-syncs.js';

export interface ActorOptions {
  readonly consumer: Client;
  readonly caches: {
    readonly clusterBindings: Watched<Binding>;
    readonly bindings: Watched<Binding>;
    readonly crds: Watched<CustomResourceDefinition>;
  };
  readonly syncs: RunningSyncs;
  readonly routes: Routes;
  readonly links: Links;
  readonly related: RunningRelated;
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** Executes all writes for bindings. */
export class Actor {
  readonly #options: ActorOptions;
  readonly #statuses = new WriteBudget(statusPace);

  constructor(options: ActorOptions) {
    this.#options = options;
  }

  async act(action: Action, signal: AbortSignal): Promise<Outcome | undefined> {
    if (action.type === 'writeStatus') return this.#writeStatus(action, signal);
    await this.#take(action, signal);
    return undefined;
  }

  async #writeStatus(
    { binding, facts }: Extract<Action, { type: 'writeStatus' }>,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const { now, monotonic } = this.#options;
    return this.#statuses.pay(objectKey(binding.metadata), monotonic(), () =>
      this.#cacheOf(binding).commitStatus(binding, (status, latest) => statusOf(status, latest, facts, now()), signal),
    );
  }

  async #take(action: Exclude<Action, { type: 'writeStatus' }>, signal: AbortSignal): Promise<void> {
    const { consumer, caches, syncs, related } = this.#options;
    switch (action.type) {
      case 'addFinalizer':
        return this.#setFinalizers(
          action.binding,
          [...(action.binding.metadata.finalizers ?? []), finalizers.cleanup],
          signal,
        );
      case 'removeFinalizer':
        return this.#setFinalizers(
          action.binding,
          (action.binding.metadata.finalizers ?? []).filter((finalizer) => finalizer !== finalizers.cleanup),
          signal,
        );
      case 'createCRD':
      case 'updateCRD':
      case 'markCRD':
        return writeCRD(action, { consumer, crds: caches.crds }, signal);
      case 'deleteCRD':
        return this.#deleteCRD(action, signal);
      case 'startSync':
        return syncs.start(action.key, action.binding, action.config);
      case 'stopSync':
        return syncs.stop(action.key, action.api);
      case 'claimCRD':
        return this.#claimCRD(action, signal);
      case 'release':
        return this.#release(action, signal);
      case 'recordRelated': {
        const value = action.kinds.length === 0 ? null : action.kinds.join(',');
        const metadata = { annotations: { [RELATED_KINDS]: value } };
        await this.#cacheOf(action.binding).patch(action.binding, { metadata }, signal);
        return;
      }
      case 'startRelated':
        return related.start(action.key, action.binding, action.kind, action.link);
      case 'stopRelated':
        return related.stop(action.key, action.kind);
    }
  }

  #cacheOf({ metadata }: Binding): Watched<Binding> {
    const { clusterBindings, bindings } = this.#options.caches;
    return metadata.namespace === undefined ? clusterBindings : bindings;
  }

  async #setFinalizers(binding: Binding, wanted: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#cacheOf(binding).patch(binding, { metadata: { finalizers: wanted } }, signal);
  }

  async #release(
    { key, crd, binding, leaving }: Extract<Action, { type: 'release' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { consumer, routes } = this.#options;
    const { name, namespace } = binding.metadata;
    const resource = namespace === undefined ? resources.clusterBindings : resources.bindings;
    const live = await getIfExists<Binding>(consumer, resource, { name, namespace }, { signal });
    if (!isSame(live, binding)) throw stale(crd.metadata.name);
    for await (const { object, resource } of heldObjects(consumer, crd, namespace, signal)) {
      if (!routes.serves(key, crd.metadata.name, object, leaving)) continue;
      const { uid, resourceVersion, finalizers: held = [], annotations: existing = {} } = object.metadata;
      const left = held.filter((finalizer) => finalizer !== finalizers.syncer);
      const marks = Object.hasOwn(existing, annotations.servedBy)
        ? { annotations: { [annotations.servedBy]: null } }
        : {};
      const patch = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left, ...marks } };
      await consumer.patch(resource, keyOf(object), { type: 'merge', patch }, { representation: 'metadata', signal });
    }
  }

  /**
   * Objects without a Connection belong to that of the CRD. Record it on them before the CRD changes hands: those that
   * have their copy at the new Connection belong there.
   */
  async #claimCRD({ live, connection }: Extract<Action, { type: 'claimCRD' }>, signal: AbortSignal): Promise<void> {
    const { consumer, caches, links } = this.#options;
    const owner = connectionOf(live);
    const { name, resourceVersion } = live.metadata;
    const all = await this.#readBindings(signal);
    const current = await getIfExists(
      consumer,
      customResourceDefinitions,
      { name },
      { representation: 'metadata', signal },
    );
    const link = links.get(connection);
    if (!isSame(current, live) || link === undefined) throw stale(name);
    if (owner === undefined || all.some((one) => connectionNamed(one) === owner && apisOf(one).includes(name)))
      throw stale(name);
    for await (const { object, resource } of heldObjects(consumer, live, undefined, signal)) {
      if (Object.hasOwn(object.metadata.annotations ?? {}, annotations.servedBy)) continue;
      // The copy of an unfinished move serves nobody.
      const isHere = !isUnfinishedAt(object, connection) && (await hasCopy(link, name, object, signal));
      const holder = isHere ? connection : owner;
      const { uid, resourceVersion } = object.metadata;
      const metadata = { uid, resourceVersion, annotations: { [annotations.servedBy]: holder } };
      const patch = { type: 'merge', patch: { metadata } } as const;
      const written = await consumer.patch(resource, keyOf(object), patch, { representation: 'metadata', signal });
      if (isHere || written.metadata.annotations?.[annotations.servedBy] === holder) continue;
      // Without it, the object would get a second copy at the new Connection.
      const what = `annotation ${annotations.servedBy} of ${name} ${objectKey(object)}`;
      caches.crds.recordEvent(live, writesUndone(what));
      throw new StaleError('StaleNote', `The ${what} does not stay, and the CRD keeps its Connection.`);
    }
    const metadata = { resourceVersion, annotations: { [annotations.connection]: connection } };
    const patch = { type: 'merge', patch: { metadata } } as const;
    caches.crds.observe(
      await consumer.patch<CustomResourceDefinition>(customResourceDefinitions, { name }, patch, { signal }),
    );
  }

  async #readBindings(signal: AbortSignal): Promise<readonly Binding[]> {
    const lists = await Promise.all(
      [resources.clusterBindings, resources.bindings].map((resource) =>
        this.#options.consumer.list<Binding>(resource, { signal }),
      ),
    );
    return lists.flatMap(({ items }) => items);
  }

  /**
   * Deleting the CRD deletes all objects. So it reads bindings live, and a failed list never counts as empty
   * (spec/kbind-v2.md §27.9, K78). The binding must be as it was when the decision fell.
   */
  async #deleteCRD({ live, key, binding }: Extract<Action, { type: 'deleteCRD' }>, signal: AbortSignal): Promise<void> {
    const { consumer, caches, routes } = this.#options;
    const all = await this.#readBindings(signal);
    const own = all.find(({ metadata }) => metadata.namespace === undefined && metadata.name === key);
    const { name, uid, resourceVersion } = live.metadata;
    if (
      own === undefined ||
      !isSame(own, binding) ||
      own.metadata.deletionTimestamp === undefined ||
      rivalOf(own, name, all) !== undefined ||
      isNeeded(own, name, all)
    )
      throw stale(name);
    const serves = (object: KubeObject): boolean => routes.serves(key, name, object, false);
    const { others } = await countHeld(consumer, live, { namespace: undefined, serves, isMoving: () => false }, signal);
    if (others > 0) throw stale(name);
    const answer = await consumer.delete(
      customResourceDefinitions,
      { name },
      { preconditions: { uid, resourceVersion }, signal },
    );
    if (answer.kind === 'terminating') caches.crds.observe(answer.object as CustomResourceDefinition);
  }
}

/**
 * Whether the provider of a link has the copy of an object, by its marks. Read live.
 * @throws {ApiError} also if there is none, and another cluster answers
 */
async function hasCopy(
  { cluster, localUID, offers, confirm }: ProviderLink,
  api: string,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const offered = offers.get({ name: api });
  const resource = offered === undefined ? undefined : storedResource(offered.spec);
  if (resource === undefined) throw stale(api);
  const copy = await getIfExists<KubeObject>(cluster.client, resource, keyOf(object), {
    representation: 'metadata',
    signal,
  });
  const { consumerUID, consumerCluster } = pairDialect.marks;
  const marks = copy?.metadata.annotations ?? {};
  const isOurs = marks[consumerUID] === object.metadata.uid && marks[consumerCluster] === localUID;
  if (!isOurs) await confirm();
  return isOurs;
}

/**
 * Whether a live object is the version decided about. After a restored backup a cache shows another state for a while.
 */
function isSame(live: KubeObject | undefined, cached: KubeObject): boolean {
  return live !== undefined && versionOf(live) === versionOf(cached);
}

function stale(api: string): StaleError {
  return new StaleError('StaleBindings', `Bindings of ${api}, or its CRD, have changed meanwhile.`);
}
