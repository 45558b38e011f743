import { isDeepStrictEqual } from 'node:util';

import { type Client, type ObjectKey, type OwnerReference, type Resource, type UnstructuredObject, getIfExists, isApiError, isConflict, isObjectNotFound } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type DeletionBudget, type ObjectProblem, type Problem, type Queue, type Result, WriteBudget, coalesce, createDeletionBudget, createObstacles, createQueue, done } from '@hawser/controller';
import { kubeBindDialect } from '@hawser/kube-bind';
import type { InformerState, SharedInformers, Subscription } from '@hawser/informer';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';

import { type Act, createAct } from './act.js';
import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import { createCacheTroubles } from './cache-troubles.js';
import { type Copies, type CopiesListener, type NamespacedCopies, createNamespacedCopies, createSingleCopies } from './copies.js';
import type { DeadLetter } from './dead-letter.js';
import { decide } from './decide.js';
import type { Action, Decision, Verdict } from './decision.js';
import { lastOtherWriter } from './field-ownership.js';
import { hasFinalizer } from './finalizer.js';
import { createKeyMapper } from './isolation.js';
import { parseKey, stringKey } from './keys.js';
import type { DeletionProof, Observed, PairSettings } from './observed.js';
import { createObjectReports } from './object-reports.js';
import { createOrphans } from './orphans.js';
import { createPairMemories } from './pair-memories.js';
import { type HeldSchema, decidedOrHeld, sideOf } from './problem-of.js';
import { endpointOf, obstacleOf } from './obstacle-of.js';
import { effortOf } from './step-text.js';
import { contentMayDiffer } from './removed-by-consumer.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import { createSyncMetrics } from './sync-metrics.js';
import type { WriterShares } from './writer-shares.js';

export interface SyncOptions {
  /** For logs and metrics: the binding's name. */
  readonly name: string;
  readonly resource: Resource;
  readonly settings: PairSettings;
  /** May the provider be watched in all namespaces, or only in the service namespaces? (`spec/konnector.md §4.5`) */
  readonly informerScope: 'Cluster' | 'Namespaced';
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  /** Owner of the APIServiceNamespaces that this sync asks for: the export, not as controller. */
  readonly exportOwner: OwnerReference;
  /** Live reads that tell a user's deletion from an unbinding; see `createDeletionProver`. */
  readonly prove: () => Promise<DeletionProof>;
  /** The change of the resource's schema that this consumer does not have now. Default: none. */
  readonly heldSchema?: (() => HeldSchema | undefined) | undefined;
  /** For copies that are deleted as orphans; shared by the syncs of a binding. Default: one of its own. */
  readonly deletions?: DeletionBudget | undefined;
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number;
  /** Shared by all syncs of a process. Absent: this one is alone. */
  readonly writers?: WriterShares | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Told, at most once per turn of the event loop, that `problems()` gives another answer. */
  readonly onProblems?: () => void;
}

/** How an object stands, for `why`. */
export interface ObjectState {
  readonly verdict: Verdict;
  readonly problem: ObjectProblem | undefined;
}

/** Keeps all objects of one bound resource in step with their copies: spec, labels and annotations up, status down. */
export interface Sync {
  /** Resolves when the caches are filled and workers run; a provider namespace whose cache cannot be filled does not hold up the others. */
  start(signal: AbortSignal): Promise<void>;
  /** Idempotent; resolves when nothing of it is in flight. Leaves all objects as they are. */
  stop(): Promise<void>;
  problems(): readonly ObjectProblem[];
  /** Of the problems, those of objects whose writes keep being refused. */
  deadLetters(): readonly DeadLetter[];
  /** What keeps whole caches of this resource from being filled. */
  troubles(): readonly Problem[];
  /** True once every object was looked at with all caches filled, or refused for good: from then on no problem is unknown. Stays true. */
  readonly surveyed: boolean;
  /** The last decision about an object (`namespace/name`, or `name`), made anew from the caches. Writes nothing. */
  why(object: string): ObjectState;
  /** What would be done now for an object. Writes nothing. */
  plan(object: string): Decision;
  /** From now on this policy holds. Looks at all objects again if it is another one. */
  use(policy: BindingPolicy): void;
  /** Looks at all objects again, as when the binding has changed. What is parked is tried at once. */
  recheck(): void;
  /** Lists all objects and copies again, because a schema has changed ({@link Informer.relist}); those that are not what was known of them are looked at. */
  relist(): void;
  readonly caches: readonly { readonly side: 'consumer' | 'provider'; readonly namespace: string | undefined; readonly state: InformerState }[];
  readonly size: number;
}

/** More passes than any sequence of steps needs: a pair that is still not settled then is parked. */
const MAX_STEPS = 12;
/** How often the status of one object is written, however often the provider changes it. */
const STATUS_WRITES = { burst: 20, refillMs: 500 } as const;

const BY_UID = 'metadata.uid';

export function createSync(options: SyncOptions): Sync {
  const { clock, resource, namespaces, concurrency = 24 } = options;
  let { settings } = options;
  const { marks } = settings.dialect ?? kubeBindDialect;
  const writers = options.writers?.join();
  const logger = options.logger.child({ binding: options.name, resource: `${resource.resource}.${resource.group}` });
  const metrics = createSyncMetrics(options.metrics, options.name, resource, clock);
  const mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, namespaces);
  const closing = new AbortController();
  const subscriptions: Subscription[] = [];
  const memories = createPairMemories(clock);
  const statuses = new WriteBudget(STATUS_WRITES);
  const budget = options.deletions ?? createDeletionBudget({ clock });
  const orphans = createOrphans(resource, memories, budget);
  /** Keys for which only background work was left when they were last looked at, and nothing has happened since. */
  const deferred = new Set<string>();
  /** The key whose write is being taken into a cache: the cache's own notification of it is not news. */
  let observing: string | undefined;

  const consumerInformer = options.consumer.informers.acquire<UnstructuredObject>({ resource });
  const tell = coalesce(() => {
    if (closing.signal.aborted) return;
    metrics.counted(reports.problems(), reports.deadLetters());
    options.onProblems?.();
  });
  const reports = createObjectReports({ clock, random: options.random, finalizer: settings.dialect?.finalizer, heldSchema: options.heldSchema, logger, events: options.consumer.events, changed: tell });
  const troubles = createCacheTroubles(() => {
    tell();
    survey();
  });
  let started = false;
  let surveying = false;
  let surveyed = false;

  const enqueue = (key: string): void => {
    if (key === observing) return;
    deferred.delete(key);
    metrics.noticed(key);
    writers?.active();
    // What has changed may be what an object was waiting for.
    queue.add(key, { resetBackoff: true });
  };
  // Before everything that may tell at once of what a shared cache holds already.
  const queue: Queue = createQueue({
    name: `sync-${options.name}-${resource.resource}`,
    concurrency,
    ...(writers === undefined ? {} : { limit: () => writers.limit(concurrency) }),
    reconcile,
    retriesInMs: (key) => { const at = reports.failures.get(key)?.nextAttempt; return at === undefined ? undefined : at - clock.now(); },
    onFailure: (key, error, times) => { reports.threw(key, consumerInformer.get(key), error, times); },
    clock,
    random: options.random,
    logger,
    metrics: options.metrics,
    backoff: { initialMs: 100, capMs: 300_000 },
    recoveries: [options.consumer.client.recovery, options.provider.client.recovery],
    // Before the consumer's cache is filled every copy would look like an orphan.
    ready: consumerInformer.synced(closing.signal),
  });
  const obstacles = createObstacles({
    clock,
    random: options.random,
    release: (keys) => {
      for (const key of keys) reports.failures.retry(key);
      queue.release(keys);
    },
  });
  const listener: CopiesListener = {
    changed(copy, how) {
      const consumerKey = mapper.toConsumer(copy.metadata);
      if (consumerKey === undefined) return;
      const key = stringKey(consumerKey);
      const memory = memories.get(key);
      if (how === 'present' && memory?.copyGone !== undefined && memory.copyGone !== copy.metadata.uid) memories.remember(key, { copyGone: undefined });
      enqueue(key);
    },
    opened: (cache) => troubles.follow('provider', cache),
    filled(providerNamespace) {
      survey();
      if (providerNamespace === undefined) recheck();
      else recheckNamespace(namespaces.toConsumer(providerNamespace));
    },
  };
  const copies: Copies = openCopies();
  const observeConsumer = (object: UnstructuredObject): void => {
    quietly(stringKey(object.metadata), () => { consumerInformer.observe(object); });
  };
  const act: Act = createAct({
    consumer: options.consumer.client,
    provider: options.provider.client,
    resource,
    observeConsumer,
    copies: {
      ...copies,
      observe(copy) {
        const consumerKey = mapper.toConsumer(copy.metadata);
        quietly(consumerKey === undefined ? undefined : stringKey(consumerKey), () => { copies.observe(copy); });
      },
    },
    namespaces,
    exportOwner: options.exportOwner,
    prove: options.prove,
    statusSubresource: settings.statusSubresource,
    dialect: settings.dialect,
  });

  return {
    async start(signal) {
      started = true;
      subscriptions.push(
        consumerInformer.addHandler({
          onAdd: (object) => { enqueue(stringKey(object.metadata)); },
          onUpdate: (before, object) => {
            const key = stringKey(object.metadata);
            // First, since what follows compares, and throws where that cannot be done. Nothing is looked at before this ends.
            enqueue(key);
            if (contentMayDiffer(before, object) && memories.get(key)?.previous === undefined) memories.remember(key, { previous: before });
          },
          onDelete: (object, witnessed) => {
            const key = stringKey(object.metadata);
            const slipped = witnessed && object.metadata.deletionTimestamp === undefined && hasFinalizer(object, settings.dialect);
            if (slipped) memories.remember(key, { slippedAway: object.metadata.uid });
            enqueue(key);
          },
        }),
      );
      subscriptions.push(troubles.follow('consumer', consumerInformer));
      subscriptions.push(budget.onChange((released) => { if (released) for (const key of memories.orphans()) enqueue(key); }));
      const either = AbortSignal.any([signal, closing.signal]);
      await consumerInformer.synced(either);
      survey();
      // Objects whose copies' cache is not filled yet wait for it one by one; a cache that cannot be filled holds up nobody else.
    },
    async stop() {
      closing.abort(new Error('sync stopped'));
      obstacles.close();
      for (const subscription of subscriptions.splice(0)) subscription.close();
      memories.close();
      await queue.stop();
      orphans.leave();
      copies.close();
      consumerInformer.release();
      metrics.close();
    },
    problems: () => reports.problems(),
    deadLetters: () => reports.deadLetters(),
    troubles: () => troubles.all(),
    get surveyed() {
      return surveyed;
    },
    why(object) {
      return { verdict: planned(object).verdict, problem: reports.problems().find((problem) => problem.object === object) };
    },
    plan: planned,
    use(policy) {
      if (isDeepStrictEqual(settings.policy ?? defaultPolicy, policy)) return;
      settings = { ...settings, policy };
      recheck();
    },
    recheck,
    relist: () => {
      consumerInformer.relist();
      for (const { informer } of copies.states()) informer.relist();
    },
    get caches() {
      return [
        { side: 'consumer' as const, namespace: undefined, state: consumerInformer.state },
        ...copies.states().map(({ namespace, state }) => ({ side: 'provider' as const, namespace, state })),
      ];
    },
    get size() {
      return consumerInformer.size;
    },
  };

  function planned(key: string): Decision {
    return decidedOrHeld(() => decide(observe(key, undefined), settings));
  }

  function openCopies(): Copies {
    if (settings.isolation !== 'ServiceNamespace') {
      const namespace = settings.isolation === 'Namespaced' ? settings.clusterNamespace : undefined;
      return createSingleCopies(options.provider.informers, resource, namespace, listener);
    }
    const perNamespace: NamespacedCopies | undefined = options.informerScope === 'Cluster' ? undefined : createNamespacedCopies(options.provider.informers, resource, listener);
    const opened: Copies = perNamespace ?? createSingleCopies(options.provider.informers, resource, undefined, listener);
    subscriptions.push(
      namespaces.onChange(({ consumer, before, after }) => {
        if (before !== undefined && before !== after) perNamespace?.release(before);
        if (after !== undefined) perNamespace?.open(after);
        recheckNamespace(consumer);
        if (after !== undefined) for (const copy of opened.list(after)) listener.changed(copy, 'present');
      }),
    );
    return opened;
  }

  /** Once all caches are filled or refused, and the first look at every object is over, the absence of problems means something. */
  function survey(): void {
    if (!started || surveying || !consumerInformer.hasSynced || !copies.states().every(({ informer }) => informer.hasSynced || troubles.has(informer))) return;
    surveying = true;
    void queue.idle().then(() => {
      surveyed = true;
      tell();
    });
  }

  function quietly(key: string | undefined, observe: () => void): void {
    observing = key;
    try {
      observe();
    } finally {
      observing = undefined;
    }
  }

  function observe(key: string, proof: DeletionProof | undefined): Observed {
    const consumerKey = parseKey(key);
    const consumer = consumerInformer.get(key);
    const placement = mapper.toProvider(consumerKey);
    const memory = memories.get(key) ?? {};
    const place = placement.kind === 'placed' ? placement.key : undefined;
    const copy = place === undefined ? undefined : copies.get(place);
    return {
      consumerKey,
      consumer,
      placement,
      copy,
      originalElsewhere: copy === undefined ? undefined : originalElsewhere(copy, consumer),
      namespaceUnshared: consumer === undefined || settings.isolation !== 'ServiceNamespace' || consumerKey.namespace === undefined ? undefined : namespaces.unshared(consumerKey.namespace, options.exportOwner),
      copyCacheReady: place !== undefined && copies.ready(place.namespace),
      deletionProof: proof ?? (memory.deletedByUser !== undefined && memory.deletedByUser === consumer?.metadata.uid ? { kind: 'byUser' } : undefined),
      orphanDeletion: consumer === undefined ? orphans.answer(key) : undefined,
      memory,
      now: clock.monotonic(),
      wallNow: clock.now(),
    };
  }

  /** The object of another name that bears the uid which the copy notes. Asked only where that is not the uid of the object in its place. */
  function originalElsewhere(copy: UnstructuredObject, consumer: UnstructuredObject | undefined): ObjectKey | undefined {
    const uid = copy.metadata.annotations?.[marks.consumerUID] ?? '';
    if (uid === '' || uid === consumer?.metadata.uid) return undefined;
    // Made when it is needed first: most syncs never do.
    consumerInformer.addIndex(BY_UID, ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]));
    return consumerInformer.byIndex(BY_UID, uid)[0]?.metadata;
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const background = deferred.delete(key);
    let proof: DeletionProof | undefined;
    let conflicts = 0;
    let before: Action | undefined;
    for (let step = 0; ; step++) {
      const observed = observe(key, proof);
      const decision = decide(observed, settings);
      const action = decision.actions.find((candidate) => background || candidate.type !== 'recordCopy');
      if (action === undefined) return settle(key, observed, decision);
      if (step === MAX_STEPS) return { kind: 'requeue', afterMs: reports.stalled(key, observed.consumer, action) };
      const undone = reports.failures.undone(key, action);
      if (undone !== undefined && undone.problem === undefined) await tellUndone(key, observed, action, before, signal);
      const parkedMs = Math.max(reports.failures.waits(key, action), action.type === 'writeStatus' ? statuses.waitMs(key, clock.monotonic()) : 0);
      if (parkedMs > 0) return { kind: 'requeue', afterMs: parkedMs };
      try {
        const result = await act(action, signal);
        metrics.acted(key, action, 'done');
        reports.failures.succeeded(key, action);
        obstacles.passed(endpointOf(action), key);
        before = action;
        if (action.type === 'writeStatus') statuses.spend(key, clock.monotonic());
        if (action.type === 'deleteCopy' && observed.consumer === undefined) orphans.deleted(key);
        if (result.proof !== undefined) {
          proof = result.proof;
          if (proof.kind === 'byUser') memories.remember(key, { deletedByUser: observed.consumer?.metadata.uid });
        }
        if (result.memory !== undefined) memories.remember(key, result.memory);
        if (action.type === 'patchCopy') memories.wrote(key, action);
        if (result.wait === true) return done;
      } catch (error) {
        // It went while it was being written to: its event is on the way.
        if (sideOf(action) === 'consumer' && isObjectNotFound(error, resource, parseKey(key))) return done;
        if (isConflict(error) && ++conflicts <= 3) await readAgain(action, key, signal);
        else return failed(key, observed, action, error);
      }
    }
  }

  /** Says who undoes a step that was taken again and again: an admission, where the answer to it (`before`) has shown already that it has no effect. */
  async function tellUndone(key: string, { consumer, copy }: Observed, action: Action, before: Action | undefined, signal: AbortSignal): Promise<void> {
    if (before !== undefined && effortOf(before) === effortOf(action)) {
      reports.undone(key, consumer, action, undefined);
      return;
    }
    const side = sideOf(action);
    const target = side === 'consumer' ? consumer : copy;
    // The name is a help; without it the rest is told all the same.
    const live = target === undefined ? undefined : await getIfExists(options[side].client, resource, { namespace: target.metadata.namespace, name: target.metadata.name }, { signal }).catch(() => undefined);
    reports.undone(key, consumer, action, lastOtherWriter(live?.metadata.managedFields ?? []));
  }

  /** After a conflict: the cache is behind. Read the side that refused. */
  async function readAgain(action: Action, key: string, signal: AbortSignal): Promise<void> {
    const side = sideOf(action);
    const placement = mapper.toProvider(parseKey(key));
    const target: ObjectKey | undefined = side === 'consumer' ? parseKey(key) : placement.kind === 'placed' ? placement.key : undefined;
    if (target === undefined) return;
    const live = await getIfExists(options[side].client, resource, target, { signal });
    if (live === undefined) return;
    if (side === 'consumer') observeConsumer(live);
    else quietly(key, () => { copies.observe(live); });
  }

  function failed(key: string, observed: Observed, action: Action, error: unknown): never {
    metrics.acted(key, action, 'failed');
    // It is the next to be tried, with the key's back-off.
    if (action.type === 'recordCopy') deferred.add(key);
    reports.failed(key, observed.consumer, action, error);
    const obstacle = obstacleOf(error, action, options[sideOf(action)].client);
    if (obstacle !== undefined) obstacles.met(key, obstacle);
    // A namespace that went away takes its cache with it; a fresh look at the map will tell.
    if (isApiError(error)) logger.debug('step failed', { object: key, action: action.type, code: error.code });
    throw error;
  }

  function settle(key: string, observed: Observed, decision: Decision): Result {
    const { verdict } = decision;
    const { consumer, copy } = observed;
    if (verdict.kind === 'inStep' && consumer !== undefined && copy !== undefined) copies.share(copy.metadata, consumer);
    orphans.settled(key, observed, verdict);
    const standingMs = reports.settled(key, observed, decision);
    if (verdict.kind !== 'progressing') {
      metrics.settled(key);
      memories.settled(key, verdict);
    }
    const afterMs = Math.min(decision.requeueAfterMs ?? Infinity, standingMs ?? Infinity);
    const [later] = decision.actions;
    if (later === undefined) obstacles.left(key);
    // Writing down where the copy is can wait until nothing else does, and where it was refused, until its time has come.
    if (later !== undefined) {
      deferred.add(key);
      const waitMs = reports.failures.waits(key, later);
      if (waitMs > 0) return { kind: 'requeue', afterMs: Math.min(afterMs, waitMs), priority: 'background' };
      queue.add(key, { priority: 'background' });
    }
    return afterMs === Infinity ? done : { kind: 'requeue', afterMs };
  }

  function recheck(): void {
    reports.failures.retryAll();
    // Of a copy that has lost its consumer object nothing but the memory is left, whatever it waits for.
    for (const key of new Set([...memories.keys(), ...consumerInformer.list().map(({ metadata }) => stringKey(metadata))])) enqueue(key);
  }

  function recheckNamespace(consumerNamespace: string | undefined): void {
    if (consumerNamespace === undefined) return;
    for (const object of consumerInformer.list(consumerNamespace)) enqueue(stringKey(object.metadata));
  }
}
