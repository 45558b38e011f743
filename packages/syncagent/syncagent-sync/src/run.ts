import { type ObjectKey, type Resource, type UnstructuredObject, isSameResource, keyOf } from '@hawser/client';
import {
  type ControllerContext,
  type Failures,
  type ObjectProblem,
  type Problem,
  type Queue,
  coalesce,
  createFailures,
  createQueue,
} from '@hawser/controller';
import {
  type ClusterKey,
  type InformerHandle,
  type InformerState,
  clusterKey,
  parseClusterKey,
} from '@hawser/informer';
import { equal } from '@hawser/json';
import type { Logger } from '@hawser/telemetry';
import { isMarked, mayBeCopy } from './choose-copy.js';
import { type Copies, openCopies } from './copies.js';
import type { Action, Decision } from './decision.js';
import { createDependencies } from './dependencies.js';
import { elsewhere } from './elsewhere.js';
import type { Engagement } from './engagement.js';
import { hasFinalizer } from './finalizer.js';
import { type KcpCaches, createKcpCaches } from './kcp-caches.js';
import { Leftovers } from './leftovers.js';
import type { Neighbour } from './neighbours.js';
import type { Retirement } from './observed.js';
import { isOfAnotherAgent } from './other-agent.js';
import { unhandledProblem } from './problem-of.js';
import { type Reconciler, createReconciler } from './reconcile.js';
import { type Recoveries, createRecoveries } from './recoveries.js';
import { type Related, createRelated } from './related.js';
import { createRelatedUses, primaryId } from './related-uses.js';
import { type Reports, createReports } from './reports.js';
import { createResourceKinds } from './resource-kinds.js';
import {
  type ServiceNamespaces,
  createServiceNamespaces,
  namespaces as namespaceResource,
} from './service-namespaces.js';
import { type ServiceWatches, createServiceWatches } from './service-watches.js';
import { type StateStore, createStateStore } from './state-store.js';
import { effortOf, stepText } from './step-text.js';
import { Survey } from './survey.js';
import type { ObjectState, Sync, SyncCounts, SyncOptions } from './sync-options.js';
import { troublesOf } from './troubles.js';
import { type Vanished, createVanished } from './vanished.js';
import { Worklist } from './worklist.js';
import { type WorkspaceEvents, createWorkspaceEvents } from './workspace-events.js';

/** A sync that has been started. */
export interface Run extends Omit<Sync, 'name' | 'start' | 'stop' | 'pause'> {
  /** Resolves when the caches of the service cluster are filled; workspaces fill up one by one. */
  filled(): Promise<void>;
  close(): Promise<void>;
}

export function openRun(options: SyncOptions, ctx: ControllerContext<'service'>): Run {
  return new SyncRun(options, ctx);
}

/** Makes the parts of a sync, and brings what their watches tell to the queue. The parts are made in the order of the constructor: what one tells another is told later. */
class SyncRun implements Run {
  readonly #options: SyncOptions;
  readonly #ctx: ControllerContext<'service'>;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #dependencies = createDependencies();
  readonly #uses = createRelatedUses();
  readonly #failures: Failures<Action>;
  readonly #tell: () => void;
  readonly #namespaces: ServiceNamespaces;
  readonly #leftovers: Leftovers;
  readonly #readiness = Promise.withResolvers<undefined>();
  readonly #queue: Queue;
  readonly #worklist: Worklist;
  readonly #recoveries: Recoveries;
  readonly #isElsewhere: ReturnType<typeof elsewhere>;
  readonly #copies: Copies;
  readonly #lookAtWorkspaces: () => void;
  readonly #kcp: KcpCaches;
  readonly #state: StateStore;
  readonly #vanished: Vanished;
  readonly #workspaceEvents: WorkspaceEvents;
  readonly #reports: Reports;
  readonly #watches: ServiceWatches;
  readonly #neighbour: Neighbour;
  readonly #leave: (() => void) | undefined;
  readonly #related: Related;
  readonly #reconciler: Reconciler;
  readonly #survey: Survey;
  readonly #ready: Promise<void>;
  /** Workspaces that have come or gone: thousands do so at once where an endpoint does. */
  readonly #workspaces = new Set<string>();
  /** Caches of workspaces that have shown everything once. */
  readonly #filled = new WeakSet<object>();
  /** Caches of related types that could not be filled at first. */
  readonly #refused = new WeakSet<object>();
  /** All that is remembered was compared with what there is. */
  #isForgetting = false;
  #isStateLeft = false;
  #retirement: Retirement | undefined;

  constructor(options: SyncOptions, ctx: ControllerContext<'service'>) {
    const { clock, random, metrics } = ctx;
    const { client, informers, events } = ctx.clusters.service;
    const logger = ctx.logger.child({ publishedresource: options.publishedResource.name });
    this.#options = options;
    this.#ctx = ctx;
    this.#logger = logger;
    this.#failures = createFailures(clock, stepText, { effortOf, random });
    this.#tell = coalesce(() => {
      if (!this.#isClosing) options.onReport?.();
    });
    this.#namespaces = createServiceNamespaces({ client, agentName: options.agentName, logger });
    this.#leftovers = new Leftovers({
      client,
      clock,
      random,
      logger,
      metrics,
      namespaces: this.#namespaces,
      stateNamespace: options.namespace,
      isUsed: (namespace) => this.#copies.anyIn(namespace),
      vanished: options.isGone === undefined ? undefined : () => this.#vanished,
    });
    this.#queue = this.#openQueue();
    this.#worklist = new Worklist({
      queue: this.#queue,
      resource: options.kinds.kcp.resource,
      kcp: () => this.#kcp,
      copies: () => this.#copies,
    });
    this.#recoveries = createRecoveries(() => {
      this.#queue.recovered();
    });
    this.#isElsewhere = elsewhere(options);
    this.#copies = openCopies(informers, options.kinds.service.resource, this.#isElsewhere, (identity, copy, how) => {
      this.#copyChanged(identity, copy, how);
    });
    this.#lookAtWorkspaces = coalesce(() => {
      this.#workspacesChanged();
    });
    this.#kcp = createKcpCaches({
      changed: (resource, key, object, before) => {
        this.#kcpChanged(resource, key, object, before);
      },
      workspace: (cluster) => {
        this.#workspaces.add(cluster);
        this.#lookAtWorkspaces();
        this.#tell();
      },
      state: (resource, handle, state) => {
        this.#kcpStateChanged(resource, handle, state);
      },
    });
    this.#state = createStateStore({ client, informers, namespace: options.namespace, agentName: options.agentName });
    this.#vanished = this.#openVanished();
    this.#workspaceEvents = createWorkspaceEvents({
      clientFor: (cluster) => this.#kcp.clientFor(cluster),
      events,
      publishedResource: options.publishedResource,
      clock,
      random,
      logger,
      metrics,
    });
    this.#reports = createReports({
      clock,
      logger,
      events: this.#workspaceEvents,
      told: options.events ?? 'lifecycle',
      changed: this.#tell,
    });
    this.#watches = createServiceWatches(
      informers,
      (resource, { metadata: { namespace, name, labels } }, before) => {
        this.#worklist.addAll(
          this.#dependencies.affectedBy({
            side: 'service',
            cluster: undefined,
            resource,
            namespace,
            name,
            labels: [labels, ...(before === undefined ? [] : [before.metadata.labels])],
          }),
        );
      },
      this.#tell,
    );
    this.#neighbour = this.#asNeighbour();
    this.#leave = options.neighbours?.join(this.#neighbour);
    this.#related = this.#openRelated();
    this.#reconciler = this.#openReconciler();
    this.#survey = this.#openSurvey();
    this.#ready = this.#whenReady();
    this.#openWatches();
  }

  async filled(): Promise<void> {
    await this.#ready;
    this.survey();
  }

  add(engagement: Engagement): void {
    this.#recoveries.add(engagement.url, engagement.recovery);
    this.#kcp.add(engagement);
  }

  remove(url: string): void {
    this.#recoveries.remove(url);
    this.#kcp.remove(url);
  }

  counts(): SyncCounts {
    const handles = this.#kcp.handles(this.#resource);
    return {
      objects: handles.reduce((sum, { size }) => sum + size, 0) - this.#reconciler.notSelected.size,
      workspaces: this.#worklist.clusters().length,
      failing: this.#reports.failing,
      orphans: this.#reports.orphans,
      held: handles.reduce((sum, handle) => sum + handle.list().filter(hasFinalizer).length, 0) - this.#heldForOthers(),
    };
  }

  problems(): readonly ObjectProblem[] {
    return this.#reports.problems();
  }
  get lastSyncMs(): number | undefined {
    return this.#reports.lastActedMs;
  }
  get surveyed(): boolean {
    return this.#survey.once;
  }

  get complete(): boolean {
    const kcp = this.#kcp;
    return (
      this.#copies.informer.hasSynced &&
      this.#state.informer.hasSynced &&
      kcp.engagements.length > 0 &&
      kcp.handles(this.#resource).every(({ hasSynced }) => hasSynced)
    );
  }

  heldAt(url: string): number | undefined {
    const handle = this.#kcp.handleAt(url, this.#resource);
    return handle?.hasSynced === true ? handle.list().filter(hasFinalizer).length : undefined;
  }

  troubles(): readonly Problem[] {
    const { kinds, rules, namespace } = this.#options;
    return troublesOf({
      kinds,
      rules,
      namespace,
      copies: this.#copies,
      state: this.#state,
      kcp: this.#kcp,
      watches: this.#watches,
      isStateLeft: this.#isStateLeft,
    });
  }

  survey(): void {
    this.#survey.run();
  }
  why(object: string): ObjectState {
    return { verdict: this.#reconciler.plan(object).verdict, problem: this.#reports.of(object) };
  }
  plan(object: string): Decision {
    return this.#reconciler.plan(object);
  }

  keys(): readonly string[] {
    return this.#worklist.keys();
  }

  copyOf(object: string): ObjectKey | undefined {
    const found = this.#copies.of(parseClusterKey(object));
    const copy = found.find(isMarked) ?? found[0];
    return copy === undefined ? undefined : keyOf(copy);
  }

  recheck(): void {
    this.#failures.retryAll();
    this.#worklist.addPrimaries();
    this.#worklist.addCopies(() => true);
  }

  reread(): void {
    this.#copies.informer.relist();
    for (const handle of this.#kcp.handles(this.#resource)) handle.relist();
    this.#reconciler.forgetRefusals();
    this.#related.forgetRefusals();
    this.recheck();
  }

  retire(how: Retirement): void {
    this.#retirement = how;
    this.recheck();
  }

  async close(): Promise<void> {
    this.#leave?.();
    this.#recoveries.close();
    this.#closing.abort(new Error('sync stopped'));
    await Promise.all([this.#queue.stop(), this.#leftovers.stop()]);
    this.#kcp.close();
    this.#watches.close();
    this.#copies.close();
    this.#state.close();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }
  /** What is published, in kcp. */
  get #resource(): Resource {
    return this.#options.kinds.kcp.resource;
  }

  #openQueue(): Queue {
    const { concurrency = 24, during } = this.#options;
    const {
      clock,
      random,
      metrics,
      clusters: {
        service: { client },
      },
    } = this.#ctx;
    return createQueue({
      name: 'syncagent-sync',
      concurrency,
      clock,
      random,
      logger: this.#logger,
      metrics,
      backoff: { initialMs: 100, capMs: 300_000 },
      recoveries: [client.recovery],
      retriesInMs: (key) => this.#reconciler.retriesInMs(key),
      reconcile: (key, signal) =>
        during === undefined
          ? this.#reconciler.reconcile(key, signal)
          : during(key, () => this.#reconciler.reconcile(key, signal)),
      onFailure: (key, error, times) => {
        const problem = unhandledProblem(error, times);
        if (problem === undefined) return;
        const identity = parseClusterKey(key);
        this.#reports.tell(key, identity.cluster, this.#kcp.cache(this.#resource, identity.cluster)?.get(identity), [
          problem,
        ]);
      },
      ready: this.#readiness.promise,
    });
  }

  #openVanished(): Vanished {
    const {
      kinds: { kcp, service },
      pause,
      isGone,
      namespace,
      publishedResource,
    } = this.#options;
    const { client, events } = this.#ctx.clusters.service;
    return createVanished({
      state: this.#state,
      service: client,
      resource: service.resource,
      logger: this.#logger,
      published: {
        apiVersion: kcp.resource.group === '' ? kcp.resource.version : `${kcp.resource.group}/${kcp.resource.version}`,
        kind: kcp.kind,
      },
      isUnseen: (cluster) =>
        pause === undefined &&
        this.#retirement === undefined &&
        this.#survey.isOver &&
        this.#kcp.engagementOf(cluster) === undefined,
      hasCopies: (cluster) => this.#copies.anyOf(cluster),
      isGone: isGone ?? (() => Promise.resolve(false)),
      forgotten(cluster, path, count) {
        const what = count === 1 ? '1 state Secret is' : `${count} state Secrets are`;
        events.record(publishedResource, {
          type: 'Normal',
          reason: 'StateForgotten',
          message: `${what} deleted in namespace "${namespace}": workspace ${path} (${cluster}) does not exist any more, and nothing of its objects is left on the service cluster.`,
        });
      },
    });
  }

  #asNeighbour(): Neighbour {
    return {
      has: (thing) => this.#uses.has(thing),
      holders: (place) => this.#uses.holders(place),
      holds: (resource, object) =>
        isSameResource(resource, this.#resource) &&
        this.#retirement !== 'keep' &&
        (!this.#copies.informer.hasSynced ||
          this.#copies.of(object).some((copy) => !isOfAnotherAgent(copy, this.#options.agentName) && mayBeCopy(copy))),
    };
  }

  #openRelated(): Related {
    const { rules, adoption, publishedResource } = this.#options;
    const {
      clock,
      clusters: {
        service: { client, events },
      },
    } = this.#ctx;
    return createRelated({
      uses: this.#uses,
      neighbours: () => this.#neighbours(),
      rules: rules.related,
      kcp: this.#kcp,
      service: client,
      watches: this.#watches,
      kinds: createResourceKinds(),
      namespaces: this.#namespaces,
      adoption,
      now: () => clock.now(),
      failures: this.#failures,
      surveyed: () => this.#survey.isOver,
      looking: (key, dependency) => {
        this.#dependencies.add(key, dependency);
      },
      acted: (cluster, about, action, result) => {
        this.#reports.acted(cluster, about, action, result);
      },
      left: (cluster, { reason, message }, held) => {
        this.#logger.warn('something that was synced is left', { workspace: cluster, reason: message });
        events.record(publishedResource, { type: 'Warning', reason, message });
        if (held !== undefined)
          this.#workspaceEvents.record(cluster, held, {
            type: 'Warning',
            reason,
            message:
              'Nothing refers to this object any more. The service provider has to see to what was made of it; until then the finalizer syncagent.kcp.io/cleanup stays.',
          });
      },
    });
  }

  #openReconciler(): Reconciler {
    const { kinds, rules, agentName, adoption, pause, publishedResource } = this.#options;
    const {
      clock,
      random,
      clusters: {
        service: { client },
      },
    } = this.#ctx;
    const [copies, isElsewhere] = [this.#copies, this.#isElsewhere];
    return createReconciler({
      primary: {
        kinds,
        rules,
        agentName,
        adoption,
        pause,
        service: client,
        copies,
        namespaces: this.#namespaces,
        publishedResource: publishedResource.name,
        isElsewhere,
      },
      kcp: this.#kcp,
      copies,
      state: this.#state,
      related: this.#related,
      dependencies: this.#dependencies,
      failures: this.#failures,
      reports: this.#reports,
      clock,
      random,
      retirement: () => this.#retirement,
      isRelatedElsewhere: (object) => this.#isRelatedElsewhere(object),
      onSelection: this.#tell,
      onStateLeft: () => {
        if (this.#isStateLeft) return;
        this.#isStateLeft = true;
        this.#tell();
      },
    });
  }

  #openSurvey(): Survey {
    const { isWhole = () => true } = this.#options;
    return new Survey({
      isWhole,
      isComplete: () => this.complete,
      handles: () => this.#kcp.handles(this.#resource),
      idle: () => this.#queue.idle(),
      isOver: () => this.#isClosing,
      onLooked: this.#tell,
      onSurveyed: () => {
        this.#worklist.addAll(this.#reconciler.takeAwaitingSurvey());
        if (!this.#isForgetting) this.#lookForVanished(this.#state.clusters());
        this.#isForgetting = true;
      },
    });
  }

  #whenReady(): Promise<void> {
    const signal = AbortSignal.any([this.#ctx.signal, this.#closing.signal]);
    const ready = Promise.all([this.#copies.synced(signal), this.#state.synced(signal)]).then(() => undefined);
    ready.then(
      () => {
        this.#readiness.resolve(undefined);
      },
      () => undefined,
    );
    return ready;
  }

  #openWatches(): void {
    const { kinds, rules } = this.#options;
    this.#kcp.open(kinds.kcp.resource);
    if (rules.filter.namespace !== undefined && kinds.kcp.scope === 'Namespaced') this.#kcp.open(namespaceResource);
    for (const rule of rules.related) {
      this.#kcp.open(rule.resources.kcp);
      this.#watches.open(rule.resources.service);
    }
  }

  #copyChanged(identity: ClusterKey | undefined, copy: UnstructuredObject, how: 'present' | 'gone' | 'reread'): void {
    if (identity !== undefined) {
      const key = clusterKey(identity);
      if (how === 'reread') this.#reconciler.unsettle(key);
      this.#worklist.add(key);
    }
    const { namespace } = copy.metadata;
    if (how === 'gone' && namespace !== undefined) this.#leftovers.namespaceLeft(namespace);
  }

  #workspacesChanged(): void {
    if (this.#isClosing) return;
    const changed = new Set(this.#workspaces);
    this.#workspaces.clear();
    for (const cluster of changed) this.#worklist.addNamespace(cluster, undefined);
    this.#worklist.addCopies((cluster) => changed.has(cluster));
    // Of objects without a copy in workspaces that have gone nothing else tells.
    const gone = new Set([...changed].filter((cluster) => this.#kcp.engagementOf(cluster) === undefined));
    if (gone.size > 0) this.#worklist.addAll(this.#reconciler.knownIn(gone));
    if (this.#survey.isOver) this.#lookForVanished(gone);
  }

  #kcpChanged(
    resource: Resource,
    key: ClusterKey,
    object: UnstructuredObject,
    before: UnstructuredObject | undefined,
  ): void {
    if (isSameResource(resource, this.#resource)) {
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion)
        this.#reconciler.unsettle(clusterKey(key));
      this.#worklist.add(clusterKey(key));
      // One more, or one less.
      if (before === undefined) this.#tell();
    } else if (
      this.#options.rules.filter.namespace !== undefined &&
      isSameResource(resource, namespaceResource) &&
      !equal(before?.metadata.labels, object.metadata.labels)
    )
      this.#worklist.addNamespace(key.cluster, key.name);
    this.#worklist.addAll(
      this.#dependencies.affectedBy({
        side: 'kcp',
        resource,
        ...key,
        labels: [object.metadata.labels, ...(before === undefined ? [] : [before.metadata.labels])],
      }),
    );
  }

  #kcpStateChanged(resource: Resource, handle: InformerHandle<UnstructuredObject>, { phase }: InformerState): void {
    this.#tell();
    // No event will come: what waits for it is told.
    if (phase === 'waiting' && !this.#refused.has(handle) && !isSameResource(resource, this.#resource)) {
      this.#refused.add(handle);
      this.#worklist.addPrimaries();
    }
    if (handle.hasSynced && !this.#filled.has(handle)) {
      this.#filled.add(handle);
      // What waited for this cache is looked at again, objects that it has just shown included, and so are copies whose objects may turn out to be missing.
      this.#worklist.addCopies(() => true);
      this.#worklist.addPrimaries();
    }
    this.survey();
  }

  #neighbours(): readonly Neighbour[] {
    return this.#options.neighbours?.besides(this.#neighbour) ?? [];
  }

  #isRelatedElsewhere(object: ClusterKey): boolean {
    const id = primaryId(this.#resource, object);
    return this.#neighbours().some((other) => other.has(id));
  }

  /** Objects whose finalizer stays because another sync needs them. */
  #heldForOthers(): number {
    if (this.#neighbours().length === 0) return 0;
    return this.#worklist
      .clusters()
      .reduce(
        (sum, cluster) =>
          sum +
          this.#worklist
            .primaries(cluster)
            .filter((object) => hasFinalizer(object) && this.#isRelatedElsewhere({ cluster, ...keyOf(object) })).length,
        0,
      );
  }

  #lookForVanished(clusters: Iterable<string>): void {
    for (const cluster of clusters)
      if (this.#kcp.engagementOf(cluster) === undefined) this.#leftovers.workspaceUnseen(cluster);
  }
}
