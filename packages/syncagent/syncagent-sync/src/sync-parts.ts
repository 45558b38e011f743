import { apiVersionOf, type Resource } from '@hawser/client';
import {
  type ControllerContext,
  type Failures,
  type Queue,
  coalesce,
  createFailures,
  createQueue,
} from '@hawser/controller';
import { parseClusterKey } from '@hawser/informer';
import type { Logger } from '@hawser/telemetry';

import { Changes } from './changes.js';
import { type Copies, openCopies } from './copies.js';
import { holderOf, makerOf } from './creator.js';
import type { Action } from './decision.js';
import { createDependencies } from './dependencies.js';
import { ofOtherPublication } from './other-publication.js';
import { type KcpCaches, createKcpCaches } from './kcp-caches.js';
import { Leftovers } from './leftovers.js';
import { Neighbourhood } from './neighbourhood.js';
import type { Retirement } from './observed.js';
import { unhandledProblem } from './problem-of.js';
import { type Reconciler, createReconciler } from './reconcile.js';
import { type Recoveries, createRecoveries } from './recoveries.js';
import { createRelatedUses } from './related-uses.js';
import { type Related, createRelated } from './related.js';
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
import type { SyncOptions } from './sync-options.js';
import { reportLeft } from './report-left.js';
import { type Vanished, createVanished } from './vanished.js';
import { Worklist } from './worklist.js';
import { type WorkspaceEvents, createWorkspaceEvents } from './workspace-events.js';

/** Builds the parts of a sync, in the order of the constructor; their callbacks run later. */
export class SyncParts {
  readonly failures: Failures<Action>;
  readonly queue: Queue;
  readonly worklist: Worklist;
  readonly recoveries: Recoveries;
  readonly copies: Copies;
  readonly kcp: KcpCaches;
  readonly state: StateStore;
  readonly reports: Reports;
  readonly watches: ServiceWatches;
  readonly neighbourhood: Neighbourhood;
  readonly related: Related;
  readonly reconciler: Reconciler;
  readonly survey: Survey;
  /** Resolves when the caches of the service cluster are filled; workspaces fill one by one. */
  readonly ready: Promise<void>;
  /** How the publication ends; undefined: it does not. */
  retirement: Retirement | undefined;
  /** State Secrets cannot be deleted. */
  isStateLeft = false;
  readonly #options: SyncOptions;
  readonly #ctx: ControllerContext<'service'>;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #readiness = Promise.withResolvers<undefined>();
  readonly #dependencies = createDependencies();
  readonly #uses = createRelatedUses();
  readonly #notify: () => void;
  readonly #namespaces: ServiceNamespaces;
  readonly #leftovers: Leftovers;
  readonly #changes: Changes;
  readonly #isOfOtherPublication: ReturnType<typeof ofOtherPublication>;
  readonly #vanished: Vanished;
  readonly #workspaceEvents: WorkspaceEvents;
  /** All state was compared with the present objects. */
  #isForgetting = false;

  constructor(options: SyncOptions, ctx: ControllerContext<'service'>) {
    const { clock, random } = ctx;
    const { client, informers } = ctx.clusters.service;
    this.#options = options;
    this.#ctx = ctx;
    this.#logger = ctx.logger.child({ publishedresource: options.publishedResource.name });
    this.failures = createFailures(clock, stepText, { effortOf, random });
    this.#notify = coalesce(() => {
      if (!this.#isClosing) options.onReport?.();
    });
    this.#namespaces = createServiceNamespaces({ client, agentName: options.agentName, logger: this.#logger });
    this.#leftovers = this.#openLeftovers();
    this.queue = this.#openQueue();
    this.worklist = new Worklist({
      queue: this.queue,
      resource: this.resource,
      kcp: () => this.kcp,
      copies: () => this.copies,
    });
    this.recoveries = createRecoveries(() => {
      this.queue.recovered();
    });
    this.#changes = this.#openChanges();
    this.#isOfOtherPublication = ofOtherPublication(options);
    const onRestored = (): void => {
      this.#changes.serviceRestored();
    };
    this.copies = openCopies(
      informers,
      options.kinds.service.resource,
      this.#isOfOtherPublication,
      (...changed) => {
        this.#changes.copy(...changed);
      },
      onRestored,
    );
    this.kcp = createKcpCaches(this.#changes);
    const { namespace, agentName } = options;
    this.state = createStateStore({ client, informers, namespace, agentName, onRestored });
    this.#vanished = this.#openVanished();
    this.#workspaceEvents = this.#openWorkspaceEvents();
    this.reports = this.#openReports();
    this.watches = createServiceWatches(
      informers,
      (...changed) => {
        this.#changes.related(...changed);
      },
      this.#notify,
    );
    this.neighbourhood = this.#openNeighbourhood();
    this.related = this.#openRelated();
    this.reconciler = this.#openReconciler();
    this.survey = this.#openSurvey();
    this.ready = this.#whenReady();
    this.#openWatches();
  }

  /** The published resource in kcp. */
  get resource(): Resource {
    return this.#options.kinds.kcp.resource;
  }

  /** See {@link Sync.complete}. */
  get isComplete(): boolean {
    const { kcp } = this;
    return (
      this.copies.informer.hasSynced &&
      this.state.informer.hasSynced &&
      kcp.engagements.length > 0 &&
      kcp.handles(this.resource).every(({ hasSynced }) => hasSynced)
    );
  }

  async close(): Promise<void> {
    this.neighbourhood.leave();
    this.recoveries.close();
    this.#closing.abort(new Error('sync stopped'));
    await Promise.all([this.queue.stop(), this.#leftovers.stop()]);
    this.kcp.close();
    this.watches.close();
    this.copies.close();
    this.state.close();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #openLeftovers(): Leftovers {
    const { namespace, isGone } = this.#options;
    const { clock, random, metrics, clusters } = this.#ctx;
    return new Leftovers({
      client: clusters.service.client,
      clock,
      random,
      logger: this.#logger,
      metrics,
      namespaces: this.#namespaces,
      stateNamespace: namespace,
      isUsed: (used) => this.copies.anyIn(used),
      vanished: isGone === undefined ? undefined : () => this.#vanished,
    });
  }

  #openQueue(): Queue {
    const { concurrency = 24, during } = this.#options;
    const { clock, random, metrics, clusters } = this.#ctx;
    const { client } = clusters.service;
    return createQueue({
      name: 'syncagent-sync',
      concurrency,
      clock,
      random,
      logger: this.#logger,
      metrics,
      backoff: { initialMs: 100, capMs: 300_000 },
      recoveries: [client.recovery],
      retriesInMs: (key) => this.reconciler.retriesInMs(key),
      reconcile: (key, signal) =>
        during === undefined
          ? this.reconciler.reconcile(key, signal)
          : during(key, () => this.reconciler.reconcile(key, signal)),
      onFailure: (key, error, times) => {
        this.#reportUnhandled(key, error, times);
      },
      ready: this.#readiness.promise,
    });
  }

  #reportUnhandled(key: string, error: unknown, times: number): void {
    const problem = unhandledProblem(error, times);
    if (problem === undefined) return;
    const identity = parseClusterKey(key);
    const object = this.kcp.cache(this.resource, identity.cluster)?.get(identity);
    this.reports.setProblems(key, identity.cluster, object, [problem]);
  }

  #openChanges(): Changes {
    return new Changes({
      resource: this.resource,
      filtersNamespaces: this.#options.rules.filter.namespace !== undefined,
      dependencies: this.#dependencies,
      worklist: this.worklist,
      leftovers: this.#leftovers,
      notify: this.#notify,
      isClosing: () => this.#isClosing,
      kcp: () => this.kcp,
      reconciler: () => this.reconciler,
      state: () => this.state,
      survey: () => this.survey,
    });
  }

  #openVanished(): Vanished {
    const { kinds, pause, isGone, namespace, publishedResource } = this.#options;
    const { client, events } = this.#ctx.clusters.service;
    return createVanished({
      state: this.state,
      service: client,
      resource: kinds.service.resource,
      logger: this.#logger,
      published: { apiVersion: apiVersionOf(this.resource), kind: kinds.kcp.kind },
      isUnseen: (cluster) =>
        pause === undefined &&
        this.retirement === undefined &&
        this.survey.isOver &&
        this.kcp.engagementOf(cluster) === undefined,
      hasCopies: (cluster) => this.copies.anyOf(cluster),
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

  #openWorkspaceEvents(): WorkspaceEvents {
    const { clock, random, metrics, clusters } = this.#ctx;
    return createWorkspaceEvents({
      clientFor: (cluster) => this.kcp.clientFor(cluster),
      events: clusters.service.events,
      publishedResource: this.#options.publishedResource,
      clock,
      random,
      logger: this.#logger,
      metrics,
    });
  }

  #openReports(): Reports {
    return createReports({
      clock: this.#ctx.clock,
      logger: this.#logger,
      events: this.#workspaceEvents,
      eventLevel: this.#options.events ?? 'lifecycle',
      changed: this.#notify,
    });
  }

  #openNeighbourhood(): Neighbourhood {
    const { neighbours, agentName } = this.#options;
    return new Neighbourhood({
      neighbours,
      resource: this.resource,
      agentName,
      uses: this.#uses,
      copies: this.copies,
      worklist: this.worklist,
      retirement: () => this.retirement,
    });
  }

  #openRelated(): Related {
    const { rules, adoption, agentName, publishedResource } = this.#options;
    const { clock, clusters } = this.#ctx;
    const { client, events } = clusters.service;
    return createRelated({
      uses: this.#uses,
      neighbours: () => this.neighbourhood.others(),
      rules: rules.related,
      kcp: this.kcp,
      service: client,
      watches: this.watches,
      kinds: createResourceKinds(),
      namespaces: this.#namespaces,
      adoption,
      maker: makerOf({ agentName, publishedResource }),
      now: () => clock.now(),
      failures: this.failures,
      surveyed: () => this.survey.isOver,
      looking: (key, dependency) => {
        this.#dependencies.add(key, dependency);
      },
      acted: (key, cluster, about, action, result) => {
        this.reconciler.acted(key, action);
        this.reports.acted(cluster, about, action, result);
      },
      left: (...left) => {
        reportLeft(
          { logger: this.#logger, events, publishedResource, workspaceEvents: this.#workspaceEvents },
          ...left,
        );
      },
    });
  }

  #openReconciler(): Reconciler {
    const { kinds, rules, agentName, adoption, pause, publishedResource } = this.#options;
    const { clock, random, clusters } = this.#ctx;
    return createReconciler({
      primary: {
        kinds,
        rules,
        agentName,
        adoption,
        pause,
        service: clusters.service.client,
        copies: this.copies,
        namespaces: this.#namespaces,
        publishedResource: publishedResource.name,
        holder: holderOf(makerOf(this.#options)),
        isOfOtherPublication: this.#isOfOtherPublication,
      },
      kcp: this.kcp,
      copies: this.copies,
      state: this.state,
      related: this.related,
      dependencies: this.#dependencies,
      failures: this.failures,
      reports: this.reports,
      clock,
      random,
      retirement: () => this.retirement,
      isRelatedInOtherSync: (object) => this.neighbourhood.isRelatedInOtherSync(object),
      onSelection: this.#notify,
      onStateLeft: () => {
        this.#stateLeft();
      },
    });
  }

  #stateLeft(): void {
    if (this.isStateLeft) return;
    this.isStateLeft = true;
    this.#notify();
  }

  #openSurvey(): Survey {
    const { isWhole = () => true } = this.#options;
    return new Survey({
      isWhole,
      isComplete: () => this.isComplete,
      handles: () => this.kcp.handles(this.resource),
      idle: () => this.queue.idle(),
      isOver: () => this.#isClosing,
      onLooked: this.#notify,
      onSurveyed: () => {
        this.worklist.addAll(this.reconciler.takeAwaitingSurvey());
        if (!this.#isForgetting) this.#changes.lookForVanished(this.state.clusters());
        this.#isForgetting = true;
      },
    });
  }

  #whenReady(): Promise<void> {
    const signal = AbortSignal.any([this.#ctx.signal, this.#closing.signal]);
    const ready = Promise.all([this.copies.synced(signal), this.state.synced(signal)]).then(() => undefined);
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
    this.kcp.open(this.resource);
    if (rules.filter.namespace !== undefined && kinds.kcp.scope === 'Namespaced') this.kcp.open(namespaceResource);
    for (const rule of rules.related) {
      this.kcp.open(rule.resources.kcp);
      this.watches.open(rule.resources.service);
    }
  }
}
