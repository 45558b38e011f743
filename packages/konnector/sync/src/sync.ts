import { type Client, type ObjectKey, type OwnerReference, type Resource, type UnstructuredObject, isApiError, isConflict, isNotFound, isObjectNotFound } from '@hawser/client';
import type { Clock, Random, TimerHandle } from '@hawser/clock';
import { type Queue, type Result, createQueue, done } from '@hawser/controller';
import type { InformerState, SharedInformers, Subscription } from '@hawser/informer';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';

import { type Act, createAct } from './act.js';
import { type Copies, type CopiesListener, type NamespacedCopies, createNamespacedCopies, createSingleCopies } from './copies.js';
import { decide } from './decide.js';
import type { Action, Decision, Verdict } from './decision.js';
import { createKeyMapper } from './isolation.js';
import { parseKey, stringKey } from './keys.js';
import type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
import { problemOf, sideOf } from './problem-of.js';
import { type ObjectProblem, type Problem, createProblems } from './problems.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import { createSyncMetrics } from './sync-metrics.js';

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
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number;
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
  /** The last decision about an object (`namespace/name`, or `name`), made anew from the caches. Writes nothing. */
  why(object: string): ObjectState;
  /** What would be done now for an object. Writes nothing. */
  plan(object: string): Decision;
  /** Looks at all objects again, as when the binding has changed. */
  recheck(): void;
  readonly caches: readonly { readonly side: 'consumer' | 'provider'; readonly namespace: string | undefined; readonly state: InformerState }[];
  readonly size: number;
}

/** More passes than any sequence of steps needs: a pair that is still not settled then comes back through the queue. */
const MAX_STEPS = 12;
const CORRECTION_BACKOFF_MS = 1_000;
const CORRECTION_CAP_MS = 300_000;
const CORRECTION_MEMORY_MS = 600_000;

export function createSync(options: SyncOptions): Sync {
  const { clock, resource, settings, namespaces } = options;
  const logger = options.logger.child({ binding: options.name, resource: `${resource.resource}.${resource.group}` });
  const metrics = createSyncMetrics(options.metrics, options.name, resource, clock);
  const mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, namespaces);
  const closing = new AbortController();
  const subscriptions: Subscription[] = [];
  const memories = new Map<string, PairMemory>();
  /** Keys for which only background work was left when they were last looked at, and nothing has happened since. */
  const deferred = new Set<string>();
  /** The key whose write is being taken into a cache: the cache's own notification of it is not news. */
  let observing: string | undefined;
  let forgetting: TimerHandle | undefined;

  const consumerInformer = options.consumer.informers.acquire<UnstructuredObject>({ resource });
  const problems = createProblems(() => clock.now(), coalesce(() => options.onProblems?.()));

  const enqueue = (key: string): void => {
    if (key === observing) return;
    deferred.delete(key);
    metrics.noticed(key);
    // What has changed may be what an object was waiting for.
    queue.add(key, { resetBackoff: true });
  };
  const listener: CopiesListener = {
    changed(copy, how) {
      const consumerKey = mapper.toConsumer(copy.metadata);
      if (consumerKey === undefined) return;
      const key = stringKey(consumerKey);
      const memory = memories.get(key);
      if (how === 'present' && memory?.copyGone !== undefined && memory.copyGone !== copy.metadata.uid) remember(key, { copyGone: undefined });
      enqueue(key);
    },
    filled(providerNamespace) {
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
  });
  const queue: Queue = createQueue({
    name: `sync-${options.name}-${resource.resource}`,
    concurrency: options.concurrency ?? 24,
    reconcile,
    clock,
    random: options.random,
    logger,
    metrics: options.metrics,
    backoff: { initialMs: 100, capMs: 300_000 },
    // Before the consumer's cache is filled every copy would look like an orphan.
    ready: consumerInformer.synced(closing.signal),
  });

  return {
    async start(signal) {
      subscriptions.push(
        consumerInformer.addHandler({
          onAdd: (object) => { enqueue(stringKey(object.metadata)); },
          onUpdate: (_, object) => { enqueue(stringKey(object.metadata)); },
          onDelete: (object) => { enqueue(stringKey(object.metadata)); },
        }),
      );
      const either = AbortSignal.any([signal, closing.signal]);
      await consumerInformer.synced(either);
      // Objects whose copies' cache is not filled yet wait for it one by one; a cache that cannot be filled holds up nobody else.
      scheduleForgetting();
    },
    async stop() {
      closing.abort(new Error('sync stopped'));
      for (const subscription of subscriptions.splice(0)) subscription.close();
      forgetting?.cancel();
      await queue.stop();
      copies.close();
      consumerInformer.release();
      metrics.close();
    },
    problems: () => problems.all(),
    why(object) {
      return { verdict: decide(observe(object, undefined), settings).verdict, problem: problems.all().find((problem) => problem.object === object) };
    },
    plan: (object) => decide(observe(object, undefined), settings),
    recheck,
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
    return {
      consumerKey,
      consumer,
      placement,
      copy: place === undefined ? undefined : copies.get(place),
      copyCacheReady: place !== undefined && copies.ready(place.namespace),
      deletionProof: proof ?? (memory.deletedByUser !== undefined && memory.deletedByUser === consumer?.metadata.uid ? { kind: 'byUser' } : undefined),
      memory,
      now: clock.now(),
    };
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const background = deferred.delete(key);
    let proof: DeletionProof | undefined;
    let conflicts = 0;
    for (let step = 0; step < MAX_STEPS; step++) {
      const observed = observe(key, proof);
      const decision = decide(observed, settings);
      const action = decision.actions.find((candidate) => background || candidate.type !== 'recordCopy');
      if (action === undefined) return settle(key, observed, decision);
      try {
        const result = await act(action, signal);
        metrics.acted(key, action, 'done');
        if (result.proof !== undefined) {
          proof = result.proof;
          if (proof.kind === 'byUser') remember(key, { deletedByUser: observed.consumer?.metadata.uid });
        }
        if (result.memory !== undefined) remember(key, { ...result.memory, ...correctionMemory(action, memories.get(key)) });
        if (result.wait === true) return done;
      } catch (error) {
        // It went while it was being written to: its event is on the way.
        if (sideOf(action) === 'consumer' && isObjectNotFound(error, resource, parseKey(key))) return done;
        if (isConflict(error) && ++conflicts <= 3) await readAgain(action, key, signal);
        else return failed(key, observed, action, error);
      }
    }
    return { kind: 'requeue', afterMs: 1_000 };
  }

  /** After a conflict: the cache is behind. Read the side that refused. */
  async function readAgain(action: Action, key: string, signal: AbortSignal): Promise<void> {
    const side = sideOf(action);
    const placement = mapper.toProvider(parseKey(key));
    const target: ObjectKey | undefined = side === 'consumer' ? parseKey(key) : placement.kind === 'placed' ? placement.key : undefined;
    if (target === undefined) return;
    try {
      const live = await options[side].client.get(resource, target, { signal });
      if (side === 'consumer') observeConsumer(live);
      else quietly(key, () => { copies.observe(live); });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  function failed(key: string, observed: Observed, action: Action, error: unknown): never {
    metrics.acted(key, action, 'failed');
    const problem = problemOf(error, action);
    if (problem !== undefined) report(key, observed.consumer, problem);
    // A namespace that went away takes its cache with it; a fresh look at the map will tell.
    if (isApiError(error)) logger.debug('step failed', { object: key, action: action.type, code: error.code });
    throw error;
  }

  function settle(key: string, observed: Observed, decision: Decision): Result {
    const { verdict } = decision;
    if (verdict.kind === 'held') report(key, observed.consumer, verdict);
    else if (verdict.kind === 'orphan') report(key, undefined, { reason: 'Orphaned', message: verdict.message, actor: 'consumer' });
    else if (verdict.kind !== 'progressing') problems.clear(key);
    if (verdict.kind !== 'progressing') {
      metrics.settled(key);
      tidyMemory(key, verdict);
    }
    // Writing down where the copy is can wait until nothing else does.
    if (decision.actions.length > 0) {
      deferred.add(key);
      queue.add(key, { priority: 'background' });
    }
    return decision.requeueAfterMs === undefined ? done : { kind: 'requeue', afterMs: decision.requeueAfterMs };
  }

  function report(key: string, consumer: UnstructuredObject | undefined, problem: Problem): void {
    const isNew = problems.set(key, { reason: problem.reason, message: problem.message, actor: problem.actor });
    if (!isNew) return;
    logger.warn('object not in step', { object: key, reason: problem.reason, actor: problem.actor });
    if (consumer === undefined) return;
    const { name, namespace, uid } = consumer.metadata;
    options.consumer.events.record({ apiVersion: consumer.apiVersion, kind: consumer.kind, name, namespace, uid }, { type: 'Warning', reason: problem.reason, message: problem.message });
  }

  function remember(key: string, change: Partial<PairMemory>): void {
    memories.set(key, { ...memories.get(key), ...change });
  }

  /** Repeated corrections of the same content are spaced further and further. */
  function correctionMemory(action: Action, memory: PairMemory | undefined): Partial<PairMemory> {
    if (action.type !== 'patchCopy') return {};
    if (!action.correction) return { corrections: 0, correctNotBefore: undefined };
    const corrections = (memory?.corrections ?? 0) + 1;
    return { corrections, correctNotBefore: clock.now() + Math.min(CORRECTION_CAP_MS, CORRECTION_BACKOFF_MS * 2 ** (corrections - 1)) };
  }

  /** Drops what no longer matters, so that an object in step costs no memory beyond the caches. */
  function tidyMemory(key: string, verdict: Verdict): void {
    const memory = memories.get(key);
    if (memory === undefined) return;
    const { corrections = 0, correctNotBefore, inspection, statusRefused } = memory;
    if (verdict.kind === 'absent' || (corrections === 0 && inspection === undefined && statusRefused === undefined && verdict.kind === 'inStep')) memories.delete(key);
    else if (verdict.kind === 'inStep') memories.set(key, { corrections, correctNotBefore, inspection, statusRefused });
  }

  function scheduleForgetting(): void {
    forgetting = clock.setTimeout(() => {
      const now = clock.now();
      for (const [key, memory] of memories) {
        if (memory.correctNotBefore !== undefined && memory.correctNotBefore + CORRECTION_MEMORY_MS < now) remember(key, { corrections: 0, correctNotBefore: undefined });
      }
      scheduleForgetting();
    }, CORRECTION_MEMORY_MS);
  }

  function recheck(): void {
    for (const object of consumerInformer.list()) enqueue(stringKey(object.metadata));
  }

  function recheckNamespace(consumerNamespace: string | undefined): void {
    if (consumerNamespace === undefined) return;
    for (const object of consumerInformer.list(consumerNamespace)) enqueue(stringKey(object.metadata));
  }
}

/** Runs `callback` once after any number of calls in one turn of the event loop. */
function coalesce(callback: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      callback();
    });
  };
}
