import { type Client, type KubeList, keyOf } from '@hawser/client';
import type { Watched } from '@hawser/controller';
import { type Binding, finalizers, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { Action } from './actions.js';
import { heirsOf, rivalOf } from './coverage.js';
import { writeCRD } from './crd-writes.js';
import { statusOf } from './decide.js';
import { heldObjects } from './held-objects.js';
import { RELATED_KINDS } from './related/decide-related.js';
import type { RunningRelated } from './related/running-related.js';
import type { RunningSyncs } from './running-syncs.js';

export interface ActorOptions {
  readonly consumer: Client;
  readonly caches: {
    readonly clusterBindings: Watched<Binding>;
    readonly bindings: Watched<Binding>;
    readonly crds: Watched<CustomResourceDefinition>;
  };
  readonly syncs: RunningSyncs;
  readonly related: RunningRelated;
  readonly now: () => number;
}

/** The one place that writes for bindings. */
export class Actor {
  readonly #options: ActorOptions;

  constructor(options: ActorOptions) {
    this.#options = options;
  }

  async act(action: Action, signal: AbortSignal): Promise<void> {
    const { consumer, caches, syncs, related, now } = this.#options;
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
      case 'release':
        for await (const { object, resource } of heldObjects(consumer, action.crd, action, signal)) {
          const { uid, resourceVersion, finalizers: held = [] } = object.metadata;
          const left = held.filter((finalizer) => finalizer !== finalizers.syncer);
          const patch = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } };
          await consumer.patch(
            resource,
            keyOf(object),
            { type: 'merge', patch },
            { representation: 'metadata', signal },
          );
        }
        return;
      case 'recordRelated': {
        const said = action.kinds.length === 0 ? null : action.kinds.join(',');
        const metadata = { annotations: { [RELATED_KINDS]: said } };
        await this.#cacheOf(action.binding).patch(action.binding, { metadata }, signal);
        return;
      }
      case 'startRelated':
        return related.start(action.key, action.binding, action.kind, action.link);
      case 'stopRelated':
        return related.stop(action.key, action.kind);
      case 'writeStatus':
        await this.#cacheOf(action.binding).commitStatus(
          action.binding,
          (status, binding) => statusOf(status, binding, action.facts, now()),
          signal,
        );
    }
  }

  #cacheOf({ metadata }: Binding): Watched<Binding> {
    const { clusterBindings, bindings } = this.#options.caches;
    return metadata.namespace === undefined ? clusterBindings : bindings;
  }

  async #setFinalizers(binding: Binding, wanted: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#cacheOf(binding).patch(binding, { metadata: { finalizers: wanted } }, signal);
  }

  /** With the CRD all objects go. So bindings are read live, and a list that fails is no reason to take it that there are none (spec/kbind-v2.md §27.9, K78). */
  async #deleteCRD({ live, key }: Extract<Action, { type: 'deleteCRD' }>, signal: AbortSignal): Promise<void> {
    const { consumer, caches } = this.#options;
    const [clusterBindings, bindings] = await Promise.all(
      [resources.clusterBindings, resources.bindings].map((resource): Promise<KubeList<Binding>> =>
        consumer.list<Binding>(resource, { signal }),
      ),
    );
    const all = [...(clusterBindings?.items ?? []), ...(bindings?.items ?? [])];
    const own = clusterBindings?.items.find(({ metadata }) => metadata.name === key);
    const { name, uid, resourceVersion } = live.metadata;
    if (
      own?.metadata.deletionTimestamp === undefined ||
      rivalOf(own, name, all) !== undefined ||
      heirsOf(own, name, all).length > 0
    )
      throw new StaleBindingsError(name);
    const answer = await consumer.delete(
      customResourceDefinitions,
      { name },
      { preconditions: { uid, resourceVersion }, signal },
    );
    if (answer.kind === 'terminating') caches.crds.observe(answer.object as CustomResourceDefinition);
  }
}

/** Bindings were not as the cache had them: look again. */
export class StaleBindingsError extends Error {
  override readonly name = 'StaleBindingsError';
  readonly code = 'StaleBindings';

  constructor(api: string) {
    super(`Bindings of ${api} have changed meanwhile.`);
  }
}
