import { isDeepStrictEqual } from 'node:util';

import { type ObjectKey, objectKey, type UnstructuredObject } from '@hawser/client';
import { type ObjectProblem, type Problem, createDeletionBudget } from '@hawser/controller';
import type { InformerHandle, InformerState, Subscription } from '@hawser/informer';
import { type DeadLetter, PairEngine, type PairMetrics, createPairMetrics } from '@hawser/pair';

import { createAct } from './act.js';
import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import { type CacheTroubles, createCacheTroubles } from './cache-troubles.js';
import { type CopiesListener, type CopyCaches, createCopyCaches } from './copies.js';
import type { Decision, Verdict } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { type KeyMapper, createKeyMapper } from './isolation.js';
import { asksForRetry } from './marks.js';
import type { PairSettings } from './observed.js';
import { type Orphans, createOrphans } from './orphans.js';
import { type PairMemories, createPairMemories } from './pair-memories.js';
import { decidedOrHeld } from './problem-of.js';
import { contentMayDiffer } from './removed-by-consumer.js';
import type { NamespaceChange } from './service-namespaces.js';
import { isOfAnother } from './routing.js';
import { type ConsumerObjects, SyncRole, type SyncTypes } from './sync-role.js';
import type { WriterShare } from './writer-shares.js';
import type { SyncOptions } from './sync-options.js';

/** State of an object, for `why`. */
export interface ObjectState {
  readonly verdict: Verdict;
  readonly problem: ObjectProblem | undefined;
}

/** Keeps all objects of one bound resource in step with their copies: spec, labels and annotations up, status down. */
export interface Sync {
  /**
   * Resolves when the caches are filled and workers run. A provider namespace whose cache cannot be filled does not
   * delay the others.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Stops; resolves when nothing is in flight. Leaves all objects unchanged. Idempotent. */
  stop(): Promise<void>;
  problems(): readonly ObjectProblem[];
  /** The problems of objects whose writes keep being refused. */
  deadLetters(): readonly DeadLetter[];
  /** Refusals that keep whole caches of this resource empty. */
  troubles(): readonly Problem[];
  /**
   * True once every object was looked at with all caches filled, or refused for good: then all problems are known.
   * Stays true.
   */
  readonly surveyed: boolean;
  /** The decision about an object (`namespace/name`, or `name`), made anew from the caches. Writes nothing. */
  why(object: string): ObjectState;
  /** The steps that would be taken now for an object. Writes nothing. */
  plan(object: string): Decision;
  /** Applies this policy from now on. Looks at all objects again if it differs. */
  use(policy: BindingPolicy): void;
  /** Looks at all objects again, for example when the binding has changed. Retries parked steps at once. */
  recheck(): void;
  /**
   * Lists all objects and copies again, because a schema has changed ({@link Informer.relist}); looks at those that
   * differ.
   */
  relist(): void;
  readonly caches: readonly {
    readonly side: 'consumer' | 'provider';
    readonly namespace: string | undefined;
    readonly state: InformerState;
  }[];
  readonly size: number;
}

const BY_UID = 'metadata.uid';

export function createSync(options: SyncOptions): Sync {
  return new ResourceSync(options);
}

class ResourceSync implements Sync {
  readonly #options: SyncOptions;
  #settings: PairSettings;
  readonly #closing = new AbortController();
  readonly #subscriptions: Subscription[] = [];
  readonly #mapper: KeyMapper;
  readonly #memories: PairMemories;
  readonly #orphans: Orphans;
  readonly #objects: InformerHandle<UnstructuredObject>;
  readonly #copies: CopyCaches;
  readonly #troubles: CacheTroubles;
  readonly #figures: PairMetrics;
  readonly #writers: WriterShare | undefined;
  readonly #engine: PairEngine<SyncTypes>;
  #started = false;

  constructor(options: SyncOptions) {
    const { name, resource, settings, namespaces, clock, consumer, provider, exportOwner } = options;
    this.#options = options;
    this.#settings = settings;
    this.#mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, namespaces);
    this.#memories = createPairMemories(clock);
    const budget = options.deletions ?? createDeletionBudget({ clock });
    this.#orphans = createOrphans(resource, this.#memories, budget);
    this.#objects = consumer.informers.acquire<UnstructuredObject>(
      options.namespace === undefined ? { resource } : { resource, namespace: options.namespace },
    );
    this.#copies = createCopyCaches(
      provider.informers,
      resource,
      this.#isPerNamespace() ? 'perNamespace' : 'one',
      this.#copiesListener(),
    );
    this.#troubles = createCacheTroubles(() => {
      this.#engine.notifyChanged();
      this.#engine.survey();
    });
    this.#figures = createPairMetrics(options.metrics, name, resource, clock);
    this.#writers = options.writers?.join();
    const act = createAct({
      consumer: consumer.client,
      provider: provider.client,
      resource,
      observeConsumer: (object) => {
        this.#objects.observe(object);
      },
      copies: this.#copies,
      namespaces,
      exportOwner,
      prove: options.prove,
      confirmProvider: options.confirmProvider,
      statusSubresource: settings.statusSubresource,
      dialect: settings.dialect,
    });
    const role = new SyncRole({
      resource,
      settings: () => this.#settings,
      clients: { consumer: consumer.client, provider: provider.client },
      objects: this.#consumerObjects(),
      copies: this.#copies,
      mapper: this.#mapper,
      namespaces,
      exportOwner,
      memories: this.#memories,
      orphans: this.#orphans,
      router: options.router,
      act,
      heldSchema: options.heldSchema,
      clock,
    });
    this.#engine = this.#createEngine(role);
    // Last: a shared cache delivers its content at once.
    this.#subscriptions.push(
      budget.onChange((released) => {
        if (released) for (const key of this.#memories.orphans()) this.#noticed(key);
      }),
    );
    this.#openCopies();
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#started = true;
    this.#subscriptions.push(
      this.#objects.addHandler({
        onAdd: (object, _initial, _key, own) => {
          if (!own) this.#noticed(objectKey(object.metadata));
        },
        onUpdate: (before, object, _key, own) => {
          this.#changed(before, object, own);
        },
        onDelete: (object, witnessed) => {
          this.#deleted(object, witnessed);
        },
      }),
      this.#troubles.follow('consumer', this.#objects),
    );
    await this.#objects.synced(AbortSignal.any([signal, this.#closing.signal]));
    this.#engine.survey();
    // Objects wait one by one for the cache of their copies; a cache that cannot be filled delays no others.
  }

  async stop(): Promise<void> {
    this.#closing.abort(new Error('sync stopped'));
    for (const subscription of this.#subscriptions.splice(0)) subscription.close();
    this.#memories.close();
    await this.#engine.stop();
    this.#orphans.leave();
    this.#copies.close();
    this.#objects.release();
    this.#figures.close();
  }

  problems(): readonly ObjectProblem[] {
    return this.#engine.problems();
  }

  deadLetters(): readonly DeadLetter[] {
    return this.#engine.deadLetters();
  }

  troubles(): readonly Problem[] {
    return this.#troubles.all();
  }

  get surveyed(): boolean {
    return this.#engine.surveyed;
  }

  why(object: string): ObjectState {
    return { verdict: this.plan(object).verdict, problem: this.#engine.problemOf(object) };
  }

  plan(object: string): Decision {
    return decidedOrHeld(() => this.#engine.plan(object));
  }

  use(policy: BindingPolicy): void {
    if (isDeepStrictEqual(this.#settings.policy ?? defaultPolicy, policy)) return;
    this.#settings = { ...this.#settings, policy };
    this.recheck();
  }

  recheck(): void {
    this.#writers?.active();
    // For a copy without a consumer object only the memory is left, whatever it waits for.
    this.#engine.recheck(
      new Set([...this.#memories.keys(), ...this.#objects.list().map(({ metadata }) => objectKey(metadata))]),
    );
  }

  relist(): void {
    this.#objects.relist();
    for (const { informer } of this.#copies.states()) informer.relist();
  }

  get caches(): Sync['caches'] {
    return [
      { side: 'consumer' as const, namespace: undefined, state: this.#objects.state },
      ...this.#copies.states().map(({ namespace, state }) => ({ side: 'provider' as const, namespace, state })),
    ];
  }

  get size(): number {
    return this.#objects.size;
  }

  #createEngine(role: SyncRole): PairEngine<SyncTypes> {
    const { name, resource, concurrency = 24, clock, random, metrics, consumer, provider } = this.#options;
    const writers = this.#writers;
    return new PairEngine<SyncTypes>(role, {
      name: `sync-${name}-${resource.resource}`,
      concurrency,
      limit: writers === undefined ? undefined : () => writers.limit(concurrency),
      // Before the consumer's cache is filled every copy would look like an orphan.
      ready: this.#objects.synced(this.#closing.signal),
      isFilled: () => this.#isFilled(),
      recoveries: [consumer.client.recovery, provider.client.recovery],
      events: consumer.events,
      changed: () => {
        this.#options.onProblems?.();
      },
      figures: this.#figures,
      clock,
      random,
      logger: this.#options.logger.child({ binding: name, resource: `${resource.resource}.${resource.group}` }),
      metrics,
    });
  }

  #consumerObjects(): ConsumerObjects {
    return {
      isCurrent: () => this.#objects.isCurrent,
      get: (key) => this.#objects.get(key),
      observe: (object) => {
        this.#objects.observe(object);
      },
      byUid: (uid) => this.#byUid(uid),
    };
  }

  #byUid(uid: string): ObjectKey | undefined {
    // Created on first need: most syncs never need it.
    this.#objects.addIndex(BY_UID, ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]));
    return this.#objects.byIndex(BY_UID, uid)[0]?.metadata;
  }

  #isPerNamespace(): boolean {
    return this.#settings.isolation === 'ServiceNamespace' && this.#options.informerScope === 'Namespaced';
  }

  #openCopies(): void {
    const { isolation, clusterNamespace } = this.#settings;
    const perNamespace = this.#isPerNamespace();
    if (!perNamespace) this.#copies.open(isolation === 'Namespaced' ? clusterNamespace : this.#options.namespace);
    if (isolation !== 'ServiceNamespace') return;
    this.#subscriptions.push(
      this.#options.namespaces.onChange((change) => {
        this.#placed(change, perNamespace);
      }),
    );
  }

  #copiesListener(): CopiesListener {
    return {
      changed: (copy, how, own) => {
        this.#copyChanged(copy, how, own);
      },
      opened: (cache) => this.#troubles.follow('provider', cache),
      filled: (namespace) => {
        this.#engine.survey();
        if (namespace === undefined) this.recheck();
        else this.#recheckNamespace(this.#options.namespaces.toConsumer(namespace));
      },
    };
  }

  #isFilled(): boolean {
    return (
      this.#started &&
      this.#objects.hasSynced &&
      this.#copies.states().every(({ informer }) => informer.hasSynced || this.#troubles.has(informer))
    );
  }

  #noticed(key: string): void {
    this.#writers?.active();
    this.#engine.noticed(key);
  }

  #changed(before: UnstructuredObject, object: UnstructuredObject, own: boolean): void {
    const key = objectKey(object.metadata);
    // First: the rest compares, and throws if that is impossible. No look happens before this ends.
    if (!own) this.#noticed(key);
    if (asksForRetry(before, object)) this.#engine.retry(key);
    if (contentMayDiffer(before, object) && this.#memories.get(key)?.previous === undefined)
      this.#memories.remember(key, { previous: before });
  }

  #deleted(object: UnstructuredObject, witnessed: boolean): void {
    const key = objectKey(object.metadata);
    const slipped =
      witnessed &&
      object.metadata.deletionTimestamp === undefined &&
      hasFinalizer(object, this.#settings.dialect) &&
      !isOfAnother(this.#options.router?.of(object));
    if (slipped) this.#memories.remember(key, { slippedAway: object.metadata.uid });
    this.#noticed(key);
  }

  #copyChanged(copy: UnstructuredObject, how: 'present' | 'gone', own: boolean): void {
    const consumerKey = this.#mapper.toConsumer(copy.metadata);
    if (consumerKey === undefined) return;
    const key = objectKey(consumerKey);
    const memory = this.#memories.get(key);
    if (how === 'present' && memory?.copyGone !== undefined && memory.copyGone !== copy.metadata.uid)
      this.#memories.remember(key, { copyGone: undefined });
    if (!own) this.#noticed(key);
  }

  /** A consumer namespace gets another provider namespace, or loses it. */
  #placed({ consumer, before, after }: NamespaceChange, perNamespace: boolean): void {
    if (perNamespace && before !== undefined && before !== after) this.#copies.release(before);
    if (perNamespace && after !== undefined) this.#copies.open(after);
    this.#recheckNamespace(consumer);
    if (after !== undefined) for (const copy of this.#copies.list(after)) this.#copyChanged(copy, 'present', false);
    // One cache fewer that was neither filled nor refused.
    this.#engine.survey();
  }

  #recheckNamespace(consumerNamespace: string | undefined): void {
    if (consumerNamespace === undefined) return;
    for (const object of this.#objects.list(consumerNamespace)) this.#noticed(objectKey(object.metadata));
  }
}
