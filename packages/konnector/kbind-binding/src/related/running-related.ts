import { getIfExists, type KubeObject } from '@hawser/client';
import { createDeletionBudget, type DeletionBudget, type Setup } from '@hawser/controller';
import {
  annotations,
  type Binding,
  type Connection,
  finalizers,
  getCondition,
  labels,
  resources,
} from '@hawser/core-kbind';
import { type ProviderLink, readClusterIdentity } from '@hawser/kbind-connection';
import { createIdentityNamespaces, pauseOf, type ServiceNamespaces } from '@hawser/konnector-sync';
import { hawserAnnotations } from '@hawser/kube-bind';
import { canonical } from '@hawser/json';
import { endPolicyOf } from '../decide-end.js';
import { RELATED_IN_SYNC } from './facts.js';
import { protectionOf } from './protection.js';
import type { HeldRelated, RelatedReading } from './reading.js';
import { RelatedSync } from './related-sync.js';
import { noRules, readRules, type RelatedKind, type RuleSet, type Side } from './rules.js';

export interface RunningRelatedOptions {
  readonly setup: Setup<'consumer'>;
  /** All bindings of this cluster. */
  readonly bindings: () => readonly Binding[];
  readonly connections: () => readonly Connection[];
}

interface Running {
  readonly bindingUID: string | undefined;
  readonly link: ProviderLink;
  readonly sync: RelatedSync;
  /** The rules and annotations that it last got. */
  followed: string;
}

/** Copies that one binding may bring to the consumer for one resource: a provider can make any number of objects. */
const MAX_OBJECTS = 1_000;

/** The related objects of all bindings: one sync for each resource of each. */
export class RunningRelated {
  readonly #options: RunningRelatedOptions;
  readonly #running = new Map<string, Map<RelatedKind, Running>>();
  readonly #budgets = new Map<string, DeletionBudget>();
  readonly #onProvider = new WeakMap<ProviderLink, ServiceNamespaces>();
  readonly #onConsumer = new Map<string, ServiceNamespaces>();

  constructor(options: RunningRelatedOptions) {
    this.#options = options;
  }

  /** Keys of the bindings with running syncs. */
  get keys(): readonly string[] {
    return [...this.#running.keys()];
  }

  read(key: string): readonly RelatedReading[] {
    return [...(this.#running.get(key) ?? [])].map(([kind, { bindingUID, link, sync }]) => ({
      kind,
      bindingUID,
      link,
      surveyed: sync.surveyed,
      problems: sync.problems(),
      troubles: sync.troubles(),
      left: sync.left,
    }));
  }

  /** Deletions held by the budget. */
  held(key: string): HeldRelated | undefined {
    const budget = this.#budgets.get(key);
    const readings = this.read(key);
    if (readings.length > 0 && readings.every(({ surveyed }) => surveyed)) budget?.surveyed();
    return budget?.held === undefined ? undefined : { ...budget.held, perMinute: budget.perMinute };
  }

  /** Replaces the running sync. Does nothing over a link that has ended. */
  async start(key: string, binding: Binding, kind: RelatedKind, link: ProviderLink): Promise<void> {
    await this.stop(key, kind);
    if (link.ended.aborted) return;
    const sync = this.#create(key, binding, kind, link);
    const ofKey = this.#running.get(key) ?? new Map<RelatedKind, Running>();
    this.#running.set(key, ofKey);
    ofKey.set(kind, { bindingUID: binding.metadata.uid, link, sync, followed: '' });
    this.follow(key, binding);
  }

  async stop(key: string, kind: RelatedKind): Promise<void> {
    const ofKey = this.#running.get(key);
    const running = ofKey?.get(kind);
    ofKey?.delete(kind);
    if (ofKey?.size === 0) {
      this.#running.delete(key);
      this.#budgets.delete(key);
    }
    await running?.sync.stop();
  }

  /** Resolves when nothing is sent to that provider any more. */
  async stopAll(link?: ProviderLink): Promise<void> {
    await Promise.all(
      [...this.#running].flatMap(([key, ofKey]) =>
        [...ofKey]
          .filter(([, running]) => link === undefined || running.link === link)
          .map(([kind]) => this.stop(key, kind)),
      ),
    );
  }

  /** Applies the current rules of the binding. */
  follow(key: string, binding: Binding, isEnding = false): void {
    const { sets } = readRules(binding);
    const pause = pauseOf(binding.metadata, 'binding');
    for (const token of tokensOf(binding)) this.#budgets.get(key)?.approve(token);
    const refs = this.#options.connections().map(({ spec }) => spec as unknown);
    for (const [kind, running] of this.#running.get(key) ?? []) {
      const rules = isEnding ? noRules : (sets.get(kind) ?? noRules);
      // A retry requested by a person judges everything anew, like new rules.
      const retryAt = binding.metadata.annotations?.[hawserAnnotations.retryAt] ?? '';
      const followed = canonical([rules, refs, retryAt, { ...pause }]);
      if (followed === running.followed) continue;
      running.followed = followed;
      running.sync.setRules(rules, pause);
    }
  }

  #create(key: string, binding: Binding, kind: RelatedKind, link: ProviderLink): RelatedSync {
    const { setup, connections } = this.#options;
    const { uid = '', namespace } = binding.metadata;
    return new RelatedSync({
      setup,
      kind,
      namespace,
      link,
      owner: { bindingUID: uid, consumerUID: link.localUID },
      namespaces: this.#namespacesOf(link),
      isBinding: (other) => this.#options.bindings().some(({ metadata }) => metadata.uid === other),
      leadsHere: (other) => this.#leadsTo(link, other),
      protection: (from: Side, of: RelatedKind, original: KubeObject) =>
        protectionOf(connections(), from, of, original),
      budget: this.#budgetOf(key, binding),
      maxObjects: MAX_OBJECTS,
      readRules: (signal) => this.#readLive(binding, kind, signal),
      isSameCluster: async (side, signal) =>
        side === 'consumer'
          ? (await readClusterIdentity(setup.clusters.consumer.client, signal)) === link.localUID
          : (await readClusterIdentity(link.cluster.client, signal)) === link.remoteUID,
      changed: () => {
        setup.look(key);
      },
    });
  }

  #leadsTo({ remoteUID }: ProviderLink, binding: string): boolean {
    const { bindings, connections } = this.#options;
    const found = bindings().find(({ metadata }) => metadata.uid === binding);
    const name = (found?.spec as Partial<Binding['spec']> | undefined)?.connectionRef?.name;
    return connections().some(
      ({ metadata, status }) => metadata.name === name && status?.remoteClusterUID === remoteUID,
    );
  }

  /** The rules, read live; a terminating binding has none. Undefined: the answer proves nothing. */
  async #readLive({ metadata }: Binding, kind: RelatedKind, signal: AbortSignal): Promise<RuleSet | undefined> {
    const { client } = this.#options.setup.clusters.consumer;
    const { name, namespace, uid } = metadata;
    const resource = namespace === undefined ? resources.clusterBindings : resources.bindings;
    const live = await getIfExists<Binding>(client, resource, { name, namespace }, { signal });
    if (live?.metadata.uid !== uid || live?.metadata.finalizers?.includes(finalizers.cleanup) !== true)
      return undefined;
    if (live.metadata.deletionTimestamp === undefined) return readRules(live).sets.get(kind) ?? noRules;
    const policy = endPolicyOf(live);
    return policy === 'Delete' || policy === 'Block' ? noRules : undefined;
  }

  /** A restart keeps held deletions held. */
  #budgetOf(key: string, binding: Binding): DeletionBudget {
    const known = this.#budgets.get(key);
    if (known !== undefined) return known;
    const held = getCondition(binding.status?.conditions, RELATED_IN_SYNC)?.reason === 'RelatedDeletionsHeld';
    const budget = createDeletionBudget({ clock: this.#options.setup.clock, held });
    this.#budgets.set(key, budget);
    for (const token of tokensOf(binding)) budget.approve(token);
    return budget;
  }

  #namespacesOf(link: ProviderLink): Readonly<Record<Side, ServiceNamespaces>> {
    const { setup } = this.#options;
    const marks = {
      labels: { [labels.managed]: 'true' },
      annotations: { [annotations.consumerClusterUID]: link.localUID },
      now: () => setup.clock.monotonic(),
    };
    const provider = this.#onProvider.get(link) ?? createIdentityNamespaces({ client: link.cluster.client, ...marks });
    this.#onProvider.set(link, provider);
    const consumer =
      this.#onConsumer.get(link.localUID) ??
      createIdentityNamespaces({ client: setup.clusters.consumer.client, ...marks });
    this.#onConsumer.set(link.localUID, consumer);
    return { consumer, provider };
  }
}

/** Tokens that a person has approved on the binding. */
function tokensOf({ metadata: { annotations: found = {} } }: Binding): readonly string[] {
  return (found[hawserAnnotations.approveDeletions] ?? '').split(/[\s,]+/u).filter((token) => token !== '');
}
