import { type Client, type KubeObject, type OwnerReference, type Resource, type UnstructuredObject, apiVersionOf, isApiError, isConflict, isNotFound, objectKey, resourceName } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type DeletionBudget, type Result, type Standing, coalesce, createFailures, createObstacles, createQueue, done } from '@hawser/controller';
import type { InformerHandle, SharedInformers, Subscription } from '@hawser/informer';
import { CORRECTION_MEMORY_MS, type Corrections, type ServiceNamespaces, correctedAgain, lastingProblemOf, noCorrections, unhandledProblem } from '@hawser/konnector-sync';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';

import { type ActResult, type Keys, createAct } from './act.js';
import { cacheProblems, isSettled } from './cache-problems.js';
import { type Claim, claimedKind } from './claim.js';
import { concernsClaims } from './claimed-by.js';
import type { Action, Decision } from './decision.js';
import type { ClaimedObjectProblem } from './verdict.js';
import { decide } from './decide.js';
import { createCopyCounts } from './copy-counts.js';
import { kubeBindMarks } from './kube-bind-marks.js';
import { IDENTITY, type Side, otherSide } from './marks.js';
import type { Landing } from './landing.js';
import { createMissingOriginals } from './missing-originals.js';
import { endpointOf, obstacleOf } from './obstacle-of.js';
import { observePair } from './observe-pair.js';
import { type Observed, type PairMemory, type PairSettings, type Placement, versionOf } from './observed.js';
import { hasController, namesAnotherName } from './origin.js';
import { obeyPause, pauseOfPair } from './pauses.js';
import type { Policies } from './policies.js';
import { problemOf, refusingSide, undoneProblem } from './problem-of.js';
import { createProviderCaches } from './provider-caches.js';
import type { Named } from './references.js';
import { createSelection } from './selection.js';
import { effortOf, stepText } from './step-text.js';

export interface ClaimSyncOptions {
  /** Of the claimed objects; namespaced. */
  readonly resource: Resource;
  readonly settings: PairSettings;
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  /** Why an original on `side` must not be copied. `namespace` is the consumer's. */
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  /** Whether claims of these bindings may put an object into a namespace of the consumer. */
  readonly landing: (namespace: string, bindings: readonly string[]) => Landing;
  /** How many objects may come to the consumer by the claims of one binding. */
  readonly maxObjects: number;
  /** Of a binding, by its claims on all resources. */
  readonly copies: (binding: string) => number;
  /** For copies whose originals are missing, shared by all resources of the connection. */
  readonly deletions: DeletionBudget;
  /** Told that a copy has gone, so that there may be room for one that was held for want of it. */
  readonly onRoom: () => void;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Told, at most once per turn of the event loop, that `problems` may give another answer. */
  readonly onProblems: () => void;
  /** Told that one of the clusters is not the one that `settings` speaks of. */
  readonly onReplaced: () => void;
}

/** A problem of one object, and the bindings whose claims select it. */
export interface ObjectClaimProblem extends ClaimedObjectProblem {
  /** `secrets team-a/name`, in words of the consumer. */
  readonly object: string;
  readonly bindings: readonly string[];
  /** Whether the consumer's object has got an Event about it. */
  readonly hasEvent: boolean;
}

/** Keeps all claimed objects of one resource in step, for all claims of one connection. */
export interface ClaimSync {
  /** Takes the place of the claims and policies before; objects that are no longer claimed are left as they are. */
  setClaims(claims: readonly Claim[], policies: Policies): void;
  /** What keeps objects of a binding's claims from being in step. */
  problems(binding: string): readonly ObjectClaimProblem[];
  /** How many copies have come to the consumer by the claims of a binding on this resource. */
  copies(binding: string): number;
  /** Looks again at what the provider has for a namespace of the consumer, or for each. */
  recheckNamespaces(namespace: string | undefined): void;
  /** Looks again at what was held for want of room. */
  recheckHeldForRoom(): void;
  /** What keeps whole caches from being filled. */
  troubles(): readonly ClaimedObjectProblem[];
  /** True once everything was looked at, so that the absence of problems means something. */
  readonly surveyed: boolean;
  /** What would be done now for an object of the consumer (`namespace/name`). Writes nothing. */
  plan(object: string): Decision;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** `deleted`: the API server's watch told of it. `missing`: a list lacks the object. */
type Presence = 'present' | 'deleted' | 'missing';

/** More passes than any sequence of steps needs. */
const MAX_STEPS = 10;

const BY_NAME = 'metadata.name';

export function createClaimSync(options: ClaimSyncOptions): ClaimSync {
  const { resource, namespaces, clock, settings } = options;
  const { marks = kubeBindMarks } = settings;
  const logger = options.logger.child({ resource: resourceName(resource) });
  const closing = new AbortController();
  const subscriptions: Subscription[] = [];
  const memories = new Map<string, PairMemory>();
  const problems = new Map<string, ObjectClaimProblem>();
  const forgotten: Readonly<Record<Side, Set<string>>> = { consumer: new Set(), provider: new Set() };
  let anyBinding = '';
  let kind = claimedKind(resource);
  let policies: Policies = new Map();
  let surveying = false;
  let surveyed = false;
  const tell = coalesce(options.onProblems);
  const stateChanged = (): void => {
    tell();
    survey();
  };

  const failures = createFailures(clock, stepText, { effortOf, random: options.random });
  const counts = createCopyCounts(options.onRoom);
  const missing = createMissingOriginals(resource, options.deletions);

  // Metadata alone: of all objects of the cluster, the contents of those that are claimed are read, and no others.
  const originals: InformerHandle<KubeObject> = options.consumer.informers.acquire<KubeObject>({ resource, projection: 'metadata' });
  originals.addIndex(BY_NAME, ({ metadata }) => [metadata.name]);
  const selection = createSelection(options.consumer.informers, resource, (named) => {
    for (const one of named) for (const key of keysOf(one)) enqueue(key);
    if (named.length === 0) stateChanged();
  });
  const queue = createQueue({
    name: `claims-${resource.resource}`,
    concurrency: options.concurrency,
    reconcile,
    onFailure: threw,
    retriesInMs: (key) => { const at = failures.get(key)?.nextAttempt; return at === undefined ? undefined : at - clock.now(); },
    clock,
    random: options.random,
    logger,
    metrics: options.metrics,
    backoff: { initialMs: 100, capMs: 300_000 },
    recoveries: [options.consumer.client.recovery, options.provider.client.recovery],
    // Before the consumer's cache is filled every copy would look left over.
    ready: originals.synced(closing.signal),
  });
  const obstacles = createObstacles({
    clock,
    random: options.random,
    release: (keys) => {
      for (const key of keys) failures.retry(key);
      queue.release(keys);
    },
  });
  const copies = createProviderCaches(options.provider.informers, resource, {
    changed(objects, how) {
      const last = objects.at(-1);
      const consumerNamespace = last === undefined ? undefined : namespaces.toConsumer(last.metadata.namespace ?? '');
      if (consumerNamespace !== undefined) noticed('provider', consumerNamespace, objects, how);
    },
    filled(namespace) {
      if (closing.signal.aborted) return;
      recheckNamespace(namespaces.toConsumer(namespace));
      survey();
    },
    stateChanged,
  });
  const act = createAct({
    clients: { consumer: options.consumer.client, provider: options.provider.client },
    resource,
    settings,
    namespaces,
    exportOwner: options.exportOwner,
    observe: take,
    forget(side, { metadata: { namespace = '', name, uid = '' } }) {
      // Its event may have come before the answer.
      if (inCache(side, { namespace, name })?.metadata.uid === uid) forgotten[side].add(uid);
    },
  });

  subscriptions.push(
    namespaces.onChange(({ consumer, before, after }) => {
      if (before !== undefined && before !== after) copies.release(before);
      if (after !== undefined) copies.open(after);
      recheckNamespace(consumer);
    }),
    originals.onStateChange(stateChanged),
    originals.addHandler({
      onAdd(object) {
        countCopy(object);
        noticed('consumer', object.metadata.namespace ?? '', [object], 'present');
      },
      onUpdate(before, object) {
        countCopy(object);
        noticed('consumer', object.metadata.namespace ?? '', [before, object], 'present');
      },
      onDelete(object, witnessed) {
        counts.delete(objectKey(object));
        noticed('consumer', object.metadata.namespace ?? '', [object], witnessed ? 'deleted' : 'missing');
      },
    }),
    options.deletions.onChange((released) => {
      if (released) for (const key of missing.keys) enqueue(key);
    }),
  );

  return {
    setClaims(claims, wanted) {
      policies = wanted;
      failures.retryAll();
      // What was in step under a policy need not be under another.
      for (const [key, memory] of memories) memories.set(key, { ...memory, inStep: undefined, parked: undefined });
      selection.set(claims);
      anyBinding = claims[0]?.binding ?? '';
      surveying = false;
      surveyed = false;
      for (const key of problems.keys()) enqueue(key);
      for (const object of originals.list()) noticed('consumer', object.metadata.namespace ?? '', [object], 'present');
      for (const { consumer } of namespaces.assigned()) recheckNamespace(consumer);
      survey();
    },
    problems: (binding) => [...problems.values()].filter(({ bindings }) => bindings.includes(binding)),
    copies: (binding) => counts.count(binding),
    recheckNamespaces(namespace) {
      for (const one of namespace === undefined ? namespaces.assigned().map(({ consumer }) => consumer) : [namespace]) recheckNamespace(one);
    },
    recheckHeldForRoom() {
      for (const [key, { reason }] of problems) if (reason === 'TooManyClaimedObjects') enqueue(key);
    },
    troubles: () => cacheProblems(resource, { consumer: [originals, ...selection.informers], provider: copies.informers }),
    get surveyed() {
      return surveyed;
    },
    plan: (object) => decideOn(observe(object, {})),
    idle: () => queue.idle(),
    async stop() {
      closing.abort(new Error('claims are no longer served'));
      obstacles.close();
      for (const subscription of subscriptions.splice(0)) subscription.close();
      await queue.stop();
      missing.leave();
      selection.close();
      copies.close();
      originals.release();
    },
  };

  function enqueue(key: string): void {
    // What has changed may be what an object was waiting for.
    queue.add(key, { resetBackoff: true });
  }

  /** Something is new of an object; only what is claimed, or has to do with claims, costs more than this look. */
  function noticed(side: Side, consumerNamespace: string, objects: readonly KubeObject[], how: Presence): void {
    const last = objects.at(-1);
    if (last === undefined) return;
    const uid = last.metadata.uid ?? '';
    if (how !== 'present') forgotten[side].delete(uid);
    const key = objectKey({ namespace: consumerNamespace, name: last.metadata.name });
    if (!objects.some((object) => concerns(side, consumerNamespace, object)) && !problems.has(key) && !isAwaited(side, key)) return;
    if (how !== 'present') remember(key, { seen: { ...memories.get(key)?.seen, [side]: uid }, ...(how === 'deleted' ? { deleted: { ...memories.get(key)?.deleted, [side]: uid } } : {}) });
    enqueue(key);
  }

  /** A copy of this provider's, or of one that does not say whose it is, counts for the first binding whose claims bring it in. */
  function countCopy(object: KubeObject): void {
    const key = objectKey(object);
    const identity = object.metadata.annotations?.[IDENTITY.provider];
    const isCopy = marks.roleOf(object, 'consumer') === 'copy' && !hasController(object) && !namesAnotherName(object, 'consumer');
    if (!isCopy || (identity !== undefined && identity !== settings.clusterNamespaceUid)) counts.delete(key);
    else counts.set(key, selection.claimedBy('provider', object.metadata.namespace ?? '', object)[0] ?? counts.bindingOf(key) ?? anyBinding);
  }

  /** Where another copy under that key would be one too many. */
  function fullFor(key: string, binding: string | undefined): Observed['full'] {
    if (binding === undefined || counts.bindingOf(key) !== undefined) return undefined;
    return options.copies(binding) < options.maxObjects ? undefined : { binding, max: options.maxObjects };
  }

  function concerns(side: Side, consumerNamespace: string, object: KubeObject): boolean {
    return concernsClaims(marks, side, object, selection.claimedBy(side, consumerNamespace, object));
  }

  /** Whether the other side has something to do with claims under that name: the object may be, or may stand in the place of, its copy. */
  function isAwaited(side: Side, key: string): boolean {
    const keys = keysFor(key);
    const other = cached(otherSide(side), keys[otherSide(side)]);
    return other !== undefined && concerns(otherSide(side), keys.consumer.namespace, other);
  }

  function recheckNamespace(consumerNamespace: string | undefined): void {
    if (consumerNamespace === undefined) return;
    for (const object of originals.list(consumerNamespace)) noticed('consumer', consumerNamespace, [object], 'present');
    const provider = namespaces.toProvider(consumerNamespace);
    for (const object of provider === undefined ? [] : copies.list(provider)) noticed('provider', consumerNamespace, [object], 'present');
  }

  /** Where an object of that name may stand, if it is on either side at all. */
  function keysOf({ namespace, name }: Named): readonly string[] {
    if (namespace !== undefined) return [objectKey({ namespace, name })];
    const onConsumer = originals.byIndex(BY_NAME, name).map(({ metadata }) => metadata.namespace ?? '');
    const onProvider = namespaces.assigned().filter(({ provider }) => copies.get(provider, name) !== undefined).map(({ consumer }) => consumer);
    return [...new Set([...onConsumer, ...onProvider])].map((found) => objectKey({ namespace: found, name }));
  }

  function cached(side: Side, key: { readonly namespace: string; readonly name: string } | undefined): KubeObject | undefined {
    const object = key === undefined ? undefined : inCache(side, key);
    return object === undefined || forgotten[side].has(object.metadata.uid ?? '') ? undefined : object;
  }

  /** Also what was deleted and is not told of yet. */
  function inCache(side: Side, { namespace, name }: { readonly namespace: string; readonly name: string }): KubeObject | undefined {
    return side === 'consumer' ? originals.get({ namespace, name }) : copies.get(namespace, name);
  }

  function keysFor(key: string): Keys & { readonly consumer: { readonly namespace: string; readonly name: string }; readonly provider: { readonly namespace: string; readonly name: string } | undefined } {
    const slash = key.indexOf('/');
    const consumer = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    const namespace = namespaces.toProvider(consumer.namespace);
    return { consumer, provider: namespace === undefined ? undefined : { namespace, name: consumer.name } };
  }

  function observe(key: string, learned: Pick<ActResult, 'contents' | 'originalGone'>): Observed {
    const keys = keysFor(key);
    const { namespace, name } = keys.consumer;
    const placement: Placement = keys.provider === undefined ? { kind: 'unassigned', since: namespaces.pendingSince(namespace) } : { kind: 'assigned', namespace: keys.provider.namespace };
    const onProvider = cached('provider', keys.provider);
    const claimants = onProvider === undefined ? [] : selection.claimedBy('provider', namespace, onProvider);
    const observed = observePair({
      name,
      consumerNamespace: namespace,
      cached: { consumer: cached('consumer', keys.consumer), provider: onProvider },
      placement,
      cacheReady: { consumer: originals.hasSynced, provider: keys.provider !== undefined && copies.ready(keys.provider.namespace) },
      full: onProvider === undefined ? undefined : fullFor(key, claimants[0]),
      landing: claimants.length === 0 ? undefined : options.landing(namespace, claimants),
      memory: memories.get(key) ?? {},
      deletion: missing.answer(key),
      contents: learned.contents,
      originalGone: learned.originalGone,
      now: clock.monotonic(),
    }, {
      claimedBy: (side, object) => selection.claimedBy(side, namespace, object),
      protection: (side, object) => options.protection(side, namespace, object),
      objectsIn: (side, inNamespace) => (side === 'consumer' ? originals.list(inNamespace) : copies.list(inNamespace)),
    });
    const [claimant] = [...observed.claimedBy.consumer, ...observed.claimedBy.provider];
    const owner = claimant === undefined ? undefined : options.exportOwner(claimant);
    return owner !== undefined && namespaces.unshared(namespace, owner) === 'ours' ? { ...observed, unshared: claimant } : observed;
  }

  function decideOn(observed: Observed): Decision {
    return obeyPause(decide(observed, settings, policies), pauseOfPair(observed, policies));
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
    let contents: Partial<Readonly<Record<Side, UnstructuredObject>>> = {};
    let originalGone: boolean | undefined;
    let conflicts = 0;
    let before: Action | undefined;
    for (let step = 0; ; step++) {
      const observed = observe(key, { contents, ...(originalGone === undefined ? {} : { originalGone }) });
      const decision = decideOn(observed);
      if (decision.action === undefined) return settle(key, observed, decision);
      if (step === MAX_STEPS) failures.stalled(key, decision.action, undoneProblem(decision.action));
      const undone = failures.undone(key, decision.action);
      if (step === MAX_STEPS || (undone !== undefined && undone.problem === undefined)) tellUndone(key, observed, decision.action, before);
      const parkedMs = failures.waits(key, decision.action);
      if (parkedMs > 0) return { kind: 'requeue', afterMs: parkedMs };
      // From now on, so that others that are worked on at the same time see it.
      const comes = decision.action.type === 'createCopy' && decision.action.side === 'consumer' ? decision.action.binding : undefined;
      if (comes !== undefined) counts.set(key, comes);
      try {
        const result = await act(decision.action, keysFor(key), signal);
        if (decision.action.type !== 'read' && decision.action.type !== 'proveGone') logger.debug('claimed object', { object: key, action: decision.action.type });
        failures.succeeded(key, decision.action);
        before = decision.action;
        obstacles.passed(endpointOf(decision.action), key);
        contents = { ...contents, ...result.contents };
        for (const object of Object.values(result.contents ?? {})) kind ??= object.kind;
        originalGone = result.originalGone;
        if (result.written !== undefined) wrote(key, decision.action, result.written);
        if (decision.action.type === 'deleteCopy' && decision.action.why === 'originalGone') missing.deleted(key);
        if (result.replaced === true) options.onReplaced();
        if (result.wait === true) return done;
      } catch (error) {
        if (comes !== undefined && originals.get(key) === undefined) counts.delete(key);
        // It went while it was being written to: its event is on the way.
        if (isNotFound(error) && decision.action.type !== 'createCopy' && decision.action.type !== 'requestNamespace') return done;
        if (isConflict(error) && ++conflicts <= 3) contents = await readAgain(key, signal);
        else return failed(key, observed, decision.action, error);
      }
    }
  }

  /** An admission undoes a step at once: the look after the step (`before`) shows it. Otherwise it looked well for a while, and the problem stands all the same. */
  function tellUndone(key: string, { cached: { consumer }, claimedBy }: Observed, action: Action, before: Action | undefined): void {
    const problem = undoneProblem(action);
    failures.tellUndone(key, action, problem, before === undefined || effortOf(before) !== effortOf(action));
    report(key, [...new Set([...claimedBy.consumer, ...claimedBy.provider])], consumer, problem);
  }

  /** After a conflict: a cache is behind. */
  async function readAgain(key: string, signal: AbortSignal): Promise<Partial<Readonly<Record<Side, UnstructuredObject>>>> {
    const keys = keysFor(key);
    const sides = (['consumer', 'provider'] as const).filter((side) => keys[side] !== undefined && cached(side, keys[side]) !== undefined);
    const result = await act({ type: 'read', sides }, keys, signal);
    return result.contents ?? {};
  }

  function take(side: Side, object: KubeObject): void {
    // A backup brings back what was deleted, as the same object.
    forgotten[side].delete(object.metadata.uid ?? '');
    if (side === 'consumer') originals.observe(object);
    else copies.observe(object);
  }

  /** Repeated corrections of the same content are spaced further and further, so that two writers make no hot loop. */
  function wrote(key: string, action: Action, copy: string): void {
    if (action.type !== 'createCopy' && action.type !== 'patchCopy') return;
    const now = clock.monotonic();
    const before = memories.get(key) ?? {};
    const isOld = Math.max(before.correctNotBefore ?? 0, before.contest?.until ?? 0) + CORRECTION_MEMORY_MS < now;
    const { isCorrection, paths } = action.type === 'patchCopy' ? { isCorrection: action.correction, paths: action.wrong } : { isCorrection: before.lastWrite?.from === action.from, paths: [] };
    const corrections: Corrections = isCorrection ? correctedAgain(isOld ? noCorrections : before, paths, now) : noCorrections;
    remember(key, { ...corrections, parked: undefined, lastWrite: { from: action.from, hash: action.hash, copy, partly: action.type === 'patchCopy' && action.partly } });
  }

  function settle(key: string, { cached: { consumer, provider }, claimedBy, now }: Observed, decision: Decision): Result {
    const { verdict, remember: learned, requeueAfterMs } = decision;
    obstacles.left(key);
    missing.settled(key, decision, (consumer ?? provider)?.metadata.uid);
    if (missing.has(key) !== (memories.get(key)?.missingSince !== undefined)) remember(key, { missingSince: missing.has(key) ? now : undefined });
    if (learned !== undefined) remember(key, learned);
    const bindings = [...new Set([...claimedBy.consumer, ...claimedBy.provider])];
    let standing: Standing | undefined;
    switch (verdict.kind) {
      case 'absent':
      case 'notClaimed':
        memories.delete(key);
        failures.gone(key);
        clear(key);
        break;
      case 'inStep':
      case 'rewritten':
        if (consumer !== undefined && provider !== undefined) remember(key, { inStep: { consumer: versionOf(consumer), provider: versionOf(provider) }, seen: undefined, deleted: undefined, parked: undefined });
        standing = failures.standing(key, []);
        if (standing === undefined || standing.problem.actor === 'nobody') clear(key);
        else report(key, bindings, consumer, { reason: 'WritesUndone', message: standing.problem.message, actor: standing.problem.actor });
        break;
      case 'held':
        report(key, bindings, consumer, verdict);
        break;
      case 'missing':
        clear(key);
        break;
      case 'progressing':
        if (verdict.overdue !== undefined) report(key, bindings, consumer, verdict.overdue);
        break;
    }
    const afterMs = Math.min(requeueAfterMs ?? Infinity, standing?.forMs ?? Infinity);
    return afterMs === Infinity ? done : { kind: 'requeue', afterMs };
  }

  function failed(key: string, { cached: { consumer }, claimedBy }: Observed, action: Action, error: unknown): never {
    const obstacle = obstacleOf(error, action, options[refusingSide(error)].client);
    if (obstacle !== undefined) obstacles.met(key, obstacle);
    const { problem } = failures.failed(key, action, { atOnce: problemOf(error, action), later: lastingProblemOf(error, refusingSide(error)) });
    if (problem !== undefined) report(key, [...new Set([...claimedBy.consumer, ...claimedBy.provider])], consumer, problem);
    if (isApiError(error)) logger.debug('step failed', { object: key, action: action.type, code: error.code });
    throw error;
  }

  /** Whatever throws is the problem of the object that was looked at. */
  function threw(key: string, error: unknown, times: number): void {
    const problem = unhandledProblem(error, times);
    if (problem === undefined) return;
    const keys = keysFor(key);
    const [consumer, provider] = [cached('consumer', keys.consumer), cached('provider', keys.provider)];
    const claimedBy = [consumer === undefined ? [] : selection.claimedBy('consumer', keys.consumer.namespace, consumer), provider === undefined ? [] : selection.claimedBy('provider', keys.consumer.namespace, provider)].flat();
    report(key, [...new Set(claimedBy)], consumer, problem);
  }

  function clear(key: string): void {
    if (problems.delete(key)) tell();
  }

  function report(key: string, bindings: readonly string[], consumer: KubeObject | undefined, { reason, message, actor }: ClaimedObjectProblem): void {
    const known = problems.get(key);
    if (known?.reason === reason && known.message === message && known.bindings.join() === bindings.join()) return;
    problems.set(key, { object: `${resource.resource} ${key}`, bindings, hasEvent: consumer !== undefined && kind !== undefined, reason, message, actor });
    tell();
    if (known?.reason === reason) return;
    logger.warn('claimed object not in step', { object: key, reason, actor });
    // Where the consumer has no such object, the condition of the binding tells, and the Event that comes with it.
    if (consumer === undefined || kind === undefined) return;
    const { name, namespace, uid } = consumer.metadata;
    options.consumer.events.record({ apiVersion: apiVersionOf(resource), kind, name, namespace, uid }, { type: 'Warning', reason, message });
  }

  function remember(key: string, change: Partial<PairMemory>): void {
    memories.set(key, { ...memories.get(key), ...change });
  }

  /** Once all caches are filled or refused, and the first look at every object is over, the absence of problems means something. */
  function survey(): void {
    if (surveying || ![originals, ...selection.informers, ...copies.informers].every(isSettled)) return;
    surveying = true;
    void queue.idle().then(() => {
      surveyed = surveying;
      tell();
    });
  }
}
