import type { Hosts, KubeObject } from '@hawser/client';
import { backoffDelay } from '@hawser/clock';
import {
  type Controller,
  type ControllerContext,
  type Problem,
  type Queue,
  type Result,
  type Scope,
  createController,
  done,
} from '@hawser/controller';
import { ChangedShapes, type InformerHandle } from '@hawser/informer';
import { canonical } from '@hawser/json';
import { type APIExport, type APIExportEndpointSlice, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, type Discover, createStatusWriter, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync } from '@hawser/syncagent-sync';
import { definitionName } from './definition-name.js';
import { Endings } from './endings.js';
import { Engagements } from './engagements.js';
import { type FoundKinds, KindsFinder } from './kinds-finder.js';
import { PublicationJournal } from './publication-journal.js';
import { measurePublications } from './publication-metrics.js';
import { PublicationRecords } from './publication-records.js';
import { type State, withState } from './report.js';
import { isDeleted } from './retirement.js';
import { RunningSync, holdWatches } from './running-sync.js';
import { isOlder, isTwin, publishedTwice } from './twins.js';
import { isServed } from './served.js';
import { InvalidRulesError, type SyncFactory } from './sync-factory.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';
import { isWhole, missingEndpoints } from './whole.js';
import { isWorkspaceGone } from './workspace-gone.js';

type ClusterNames = 'service' | 'provider' | 'endpoints';

export interface SyncmanagerOptions {
  readonly agent: Agent;
  /** Name of the APIExportEndpointSlice in the workspace `endpoints`. */
  readonly endpointSlice: string;
  /** As it was read just now, so that nobody has to wait for its watch. */
  readonly located?: APIExportEndpointSlice | undefined;
  /** The hosts of the kcp, whose pools and credentials all virtual workspaces share. Stay the caller's. */
  readonly hosts: Hosts;
  readonly discover: Discover;
  readonly createSync: SyncFactory;
  /** Annotations of a PublishedResource that its sync depends on: when one changes, the sync is replaced. */
  readonly annotations?: readonly string[] | undefined;
  /** Aborts when this process may write no more. */
  readonly mayWrite?: AbortSignal | undefined;
}

/** The controller, and what runs in it. */
export interface Syncmanager extends Controller<ClusterNames> {
  /** The sync of a PublishedResource, if one runs. */
  syncOf(publishedResource: string): Sync | undefined;
  readonly engagements: readonly Engagement[];
  /** Those that have a sync; of one that was deleted, as long as its objects are let go. */
  readonly publications: readonly Publication[];
  /** Writes what there is to tell at once, and not only after a while. */
  report(): void;
}

/** A PublishedResource with its sync. */
export interface Publication {
  readonly publishedResource: string;
  readonly kinds: PublishedKinds;
  readonly sync: Sync;
}

const name = 'syncagent-syncmanager';
const endpointsKey = 'endpoints';
const syncPrefix = 'sync/';
const reportPrefix = 'report/';
const endPrefix = 'end/';
/** Counts are written at most this often. */
const REPORT_MS = 2_000;
/** Between looks whether kcp serves a resource: what is watched wakes it up earlier. */
const servedBackoff = { initialMs: 250, capMs: 10_000 };
const startBackoff = { initialMs: 1_000, capMs: 60_000 };
/** A resource is not served at once after it was exported; after so many looks it is worth telling. */
const PATIENCE = 6;

/**
 * One engagement for each endpoint of the slice, and one sync for each PublishedResource (`spec/api-syncagent.md §10.3`): replaced when what it was made of
 * changes, stopped when the PublishedResource goes, is switched off or not selected any more.
 */
export function createSyncmanager(options: SyncmanagerOptions): Syncmanager {
  let manager: Manager | undefined;
  const controller = createController<ClusterNames>(name, (ctx, scope) => {
    manager = new Manager(options, ctx, scope);
    return manager.open();
  });
  return {
    name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    syncOf: (publishedResource) => manager?.syncOf(publishedResource),
    get engagements() {
      return manager?.engagements ?? [];
    },
    get publications() {
      return manager?.publications ?? [];
    },
    report: () => manager?.report(),
  };
}

class Manager {
  readonly #options: SyncmanagerOptions;
  readonly #ctx: ControllerContext<ClusterNames>;
  readonly #scope: Scope;
  readonly #publishedResources: InformerHandle<PublishedResource>;
  readonly #definitions: InformerHandle<KubeObject>;
  readonly #slices: InformerHandle<APIExportEndpointSlice>;
  readonly #exports: InformerHandle<APIExport>;
  readonly #engagements: Engagements;
  readonly #queue: Queue;
  readonly #writer: ReturnType<typeof createStatusWriter>;
  readonly #journal: PublicationJournal;
  readonly #kinds: KindsFinder;
  readonly #endings: Endings;
  /** By the name of the PublishedResource, as everything below. */
  readonly #running = new Map<string, RunningSync>();
  readonly #states = new Map<string, State>();
  readonly #looks = new Map<string, number>();
  readonly #shapes: ChangedShapes;
  /** Before, nothing can be said about who has bound what. */
  #endpointsKnown = false;
  readonly #failedStarts = new Map<string, number>();
  /** Fingerprints of what no sync could be made of. */
  readonly #invalid = new Map<string, string>();

  constructor(options: SyncmanagerOptions, ctx: ControllerContext<ClusterNames>, scope: Scope) {
    const { service, provider, endpoints } = ctx.clusters;
    this.#options = options;
    this.#ctx = ctx;
    this.#shapes = new ChangedShapes(ctx.clock);
    this.#scope = scope;
    this.#publishedResources = scope.informer(
      service.informers.acquire<PublishedResource>(publishedResourcesOf(options.agent)),
    );
    this.#definitions = scope.informer(
      service.informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    this.#slices = scope.informer(
      endpoints.informers.acquire<APIExportEndpointSlice>({
        resource: kcpResources.apiExportEndpointSlices,
        fieldSelector: `metadata.name=${options.endpointSlice}`,
      }),
    );
    this.#exports = scope.informer(
      provider.informers.acquire<APIExport>({
        resource: kcpResources.apiExports,
        fieldSelector: `metadata.name=${options.agent.exportName}`,
      }),
    );
    this.#writer = createStatusWriter({
      client: service.client,
      publishedResources: this.#publishedResources,
      definitions: this.#definitions,
      clock: ctx.clock,
      random: ctx.random,
      logger: ctx.logger,
    });
    this.#journal = new PublicationJournal(
      new PublicationRecords(service.client, options.agent.namespace, options.agent.name),
      ctx.logger,
    );
    this.#kinds = new KindsFinder({
      discover: options.discover,
      provider: provider.client,
      definitions: this.#definitions,
      recorded: (uid) => this.#journal.all.get(uid),
    });
    this.#engagements = new Engagements({
      hosts: options.hosts,
      mayWrite: options.mayWrite,
      clock: ctx.clock,
      random: ctx.random,
      logger: ctx.logger,
      metrics: ctx.metrics,
      onChange: () => {
        this.#lookAtAll();
      },
      onState: () => {
        for (const { metadata } of this.#publishedResources.list())
          this.#queue.addAfter(syncPrefix + metadata.name, REPORT_MS);
      },
      onRecovered: () => {
        this.#queue.recovered();
      },
      onDisengage: (url) => {
        for (const running of [...this.#running.values(), ...this.#endings.all]) running.remove(url);
      },
    });
    this.#endings = new Endings({
      service: service.client,
      engagements: this.#engagements,
      journal: this.#journal,
      logger: ctx.logger,
      events: service.events,
      now: () => ctx.clock.now(),
      isSliceKnown: () => this.#endpointsKnown,
      present: (of) => this.#publishedResources.get({ name: of }),
      running: () => this.#running.values(),
      make: (object, kinds, engagements, key) => this.#make(object, kinds, engagements, key),
      begin: (ending, onFailure) => {
        this.#begin(ending, onFailure);
      },
      schedule: (key, afterMs = 0) => {
        this.#queue.addAfter(endPrefix + key, afterMs);
      },
    });
    scope.own(
      measurePublications(ctx.metrics, {
        agent: options.agent.name,
        now: () => ctx.clock.now(),
        syncs: () => new Map([...this.#running].map(([of, { sync }]) => [of, sync])),
      }),
    );
    // In this order: closed in the opposite one, so that no sync loses its watches while it drains.
    scope.own(() => this.#engagements.close());
    scope.own(() => this.#stopAll());
    this.#queue = scope.openQueue({ name, concurrency: 4, reconcile: (key, signal) => this.#reconcile(key, signal) });
  }

  async open(): Promise<void> {
    const scope = this.#scope;
    scope.onChange(this.#slices, () => {
      this.#queue.add(endpointsKey, { resetBackoff: true });
    });
    scope.onChange(this.#exports, () => {
      this.#lookAtAll();
    });
    scope.onChange(this.#publishedResources, (changed) => {
      const { metadata } = changed;
      this.#looks.delete(metadata.name);
      for (const other of this.#publishedResources.list())
        if (isTwin(other, changed)) this.#queue.add(syncPrefix + other.metadata.name);
      this.#queue.add(syncPrefix + metadata.name, { resetBackoff: true });
    });
    scope.onChange(this.#definitions, ({ metadata }) => {
      this.#lookAtGroup(metadata.name);
    });
    await Promise.all([
      scope.synced(),
      this.#journal.load(scope.signal),
      this.#engagements.follow(this.#options.located),
    ]);
    this.#queue.add(endpointsKey);
  }

  syncOf(publishedResource: string): Sync | undefined {
    return this.#running.get(publishedResource)?.sync;
  }

  get engagements(): readonly Engagement[] {
    return this.#engagements.ready;
  }

  get publications(): readonly Publication[] {
    return [...this.#running.values(), ...this.#endings.all].map(({ publishedResource, kinds, sync }) => ({
      publishedResource: publishedResource.metadata.name,
      kinds,
      sync,
    }));
  }

  report(): void {
    for (const of of this.#states.keys()) this.#queue.add(reportPrefix + of);
    for (const key of this.#endings.keys) this.#queue.add(endPrefix + key);
  }

  #lookAtAll(): void {
    this.#looks.clear();
    const present = new Set<string | undefined>();
    for (const { metadata } of this.#publishedResources.list()) {
      present.add(metadata.uid);
      this.#queue.add(syncPrefix + metadata.name);
    }
    for (const key of this.#journal.all.keys())
      if (!present.has(key) || this.#endings.has(key)) this.#queue.add(endPrefix + key);
  }

  /** A CRD is named after its group. */
  #lookAtGroup(definition: string): void {
    for (const { metadata, spec } of this.#publishedResources.list()) {
      if (definition.endsWith(`.${spec.resource.apiGroup}`)) this.#queue.add(syncPrefix + metadata.name);
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    if (key === endpointsKey) {
      await this.#engagements.follow(this.#slice());
      this.#endpointsKnown = true;
      this.#lookAtAll();
      return done;
    }
    if (key.startsWith(endPrefix)) return this.#endings.look(key.slice(endPrefix.length), signal);
    if (key.startsWith(reportPrefix)) return this.#reconcileReport(key.slice(reportPrefix.length), signal);
    return this.#reconcileSync(key.slice(syncPrefix.length), signal);
  }

  #slice(): APIExportEndpointSlice | undefined {
    return this.#slices.get({ name: this.#options.endpointSlice });
  }

  async #reconcileSync(of: string, signal: AbortSignal): Promise<Result> {
    const object = this.#publishedResources.get({ name: of });
    const running = this.#running.get(of);
    // Another one may have its name by now.
    if (running !== undefined && running.uid !== object?.metadata.uid) await this.#gone(of, running, signal);
    if (object?.metadata.deletionTimestamp !== undefined) this.#end(of);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      // Also where no sync ran, as while it was switched off.
      for (const [uid, { publishedResource }] of this.#journal.all)
        if (publishedResource.metadata.name === of) this.#queue.add(endPrefix + uid);
    }
    if (object === undefined) {
      this.#forget(of);
      return done;
    }
    if (this.#endings.has(object.metadata.uid ?? of)) return done;
    if (!isWanted(object)) {
      await this.#stop(of);
      return this.#conclude(of, { kind: 'stopped' });
    }
    const older = this.#publishedResources.list().find((other) => isTwin(other, object) && isOlder(other, object));
    if (older !== undefined) {
      await this.#stop(of);
      return this.#conclude(of, { kind: 'waiting', problem: publishedTwice(object, older) });
    }
    if (!this.#endpointsKnown) return done;
    const problem = this.#endpointProblem();
    if (this.#engagements.size === 0)
      return this.#conclude(of, this.#running.has(of) ? undefined : { kind: 'unbound', problem });
    const found = await this.#kinds.find(object, signal);
    const { kinds } = found;
    const served = await this.#served(of, found, signal);
    const fingerprint = this.#fingerprint(object, kinds);
    const present = this.#running.get(of);
    if (present?.fingerprint !== fingerprint && this.#invalid.get(of) !== fingerprint) {
      if (served.engagements.length > 0) await this.#replace(object, found, fingerprint, served.engagements, signal);
      // Without a place to look, every copy would look like an orphan.
      else await this.#stop(of);
    } else if (present?.fingerprint === fingerprint)
      await this.#writeDown(object, found, [...present.endpoints, ...served.engagements.map(({ url }) => url)], signal);
    this.#engage(of, served.engagements);
    this.#running.get(of)?.sync.survey();
    const result = this.#afterLook(of, kinds, served.complete, problem);
    if (running !== undefined) this.#queue.add(reportPrefix + of);
    const againInMs = this.#reread(of, served.engagements);
    return againInMs === undefined || result.kind === 'requeue'
      ? result
      : { kind: 'requeue', afterMs: againInMs, priority: 'background' };
  }

  /** Before the first object is touched. Nothing is written where it says so already. */
  async #writeDown(
    object: PublishedResource,
    found: FoundKinds,
    endpoints: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const sorted = [...new Set(endpoints)].sort();
    if (!this.#journal.isWritten(object.metadata.name, found, sorted))
      await this.#journal.write(object, found, sorted, signal);
  }

  /** Has everything read again some time after the schema has changed on one side. Returns when to come back for that. */
  #reread(of: string, engagements: readonly EngagedVirtualWorkspace[]): number | undefined {
    const running = this.#running.get(of);
    if (running === undefined) return undefined;
    const { kcp } = running.kinds;
    const definition = this.#definitions.get({ name: definitionName(running.kinds) });
    const { due, againInMs } = this.#shapes.look(of, [
      {
        name: 'service',
        shape:
          definition === undefined
            ? undefined
            : `${definition.metadata.uid ?? ''}/${definition.metadata.generation ?? ''}`,
      },
      ...engagements.map(({ url, workspaces }) => ({ name: url, shape: workspaces.shapeOf(kcp.resource) })),
    ]);
    if (due.length > 0) running.sync.reread();
    return againInMs;
  }

  #afterLook(of: string, kinds: PublishedKinds, complete: boolean, problem: Problem | undefined): Result {
    const running = this.#running.has(of);
    const looks = complete ? 0 : (this.#looks.get(of) ?? 0) + 1;
    this.#looks.set(of, looks);
    const { group, resource } = kinds.kcp.resource;
    if (!running && this.#states.get(of)?.kind !== 'invalid') {
      const notServed =
        looks < PATIENCE
          ? undefined
          : {
              reason: 'NotServed',
              actor: 'operator' as const,
              message: `kcp does not serve ${group === '' ? resource : `${resource}.${group}`} through any endpoint yet. It is looked for again; if this lasts, see whether the APIExport lists its schema, and whether the agent may use apiexports/content.`,
            };
      this.#conclude(of, { kind: 'waiting', problem: problem ?? notServed });
    }
    return complete ? done : { kind: 'requeue', afterMs: backoffDelay(servedBackoff, looks, this.#ctx.random) };
  }

  /** What is wrong with the endpoints as such. */
  #endpointProblem(): Problem | undefined {
    const [unusable] = this.#engagements.unusable;
    if (unusable !== undefined)
      return {
        reason: 'EndpointUnusable',
        actor: 'operator',
        message: `${unusable} The operator must correct the addresses of the shards of kcp.`,
      };
    const [notReadable] = this.#engagements.unreadable;
    if (notReadable !== undefined)
      return {
        reason: 'WorkspacesNotReadable',
        actor: 'operator',
        message: `${notReadable} Their objects are not synced. The operator must see that kcp answers, and that the agent may read apiexports/content; it is tried again by itself.`,
      };
    if (this.#slice() !== undefined) return undefined;
    return {
      reason: 'EndpointSliceNotFound',
      actor: 'operator',
      message: `APIExportEndpointSlice ${this.#options.endpointSlice} is not there. The operator must create it, or name another.`,
    };
  }

  #fingerprint({ metadata, spec }: PublishedResource, kinds: PublishedKinds): string {
    const annotations = (this.#options.annotations ?? []).map((key) => metadata.annotations?.[key] ?? null);
    // What the rest of the spec says is in the kinds, once it has come to that.
    const { filter, naming, mutation, related, enableWorkspacePaths } = spec;
    return canonical([metadata.uid, { filter, naming, mutation, related, enableWorkspacePaths }, kinds, annotations]);
  }

  /** The engagements that serve the resource now. One that cannot be asked keeps no other waiting. */
  async #served(
    of: string,
    { kinds, schemaName }: FoundKinds,
    signal: AbortSignal,
  ): Promise<{ readonly engagements: readonly EngagedVirtualWorkspace[]; readonly complete: boolean }> {
    const running = this.#running.get(of);
    // Before the first workspace is bound, lists of what is announced fail; each further one wakes us up.
    const ready = this.#engagements.ready.filter(
      ({ url, workspaces }) => !workspaces.isEmpty || running?.isEngaged(url) === true,
    );
    const same = running !== undefined && canonical(running.kinds.kcp) === canonical(kinds.kcp);
    const answers = await Promise.all(
      ready.map(async (engagement) => {
        if (same && running.isEngaged(engagement.url)) return true;
        try {
          return (
            engagement.workspaces.hasBound(kinds.kcp.resource, schemaName) ||
            (await isServed(engagement.wildcard, kinds.kcp.resource, signal))
          );
        } catch (error) {
          if (signal.aborted) throw error;
          this.#ctx.logger.warn('A virtual workspace does not tell what it serves.', {
            publishedresource: of,
            url: engagement.url,
            error,
          });
          return false;
        }
      }),
    );
    const engagements = ready.filter(
      (engagement, index) => answers[index] === true && this.#engagements.has(engagement),
    );
    return { engagements, complete: engagements.length === ready.length };
  }

  #engage(of: string, engagements: readonly EngagedVirtualWorkspace[]): void {
    const running = this.#running.get(of);
    if (running === undefined) return;
    const paths = this.#publishedResources.get({ name: of })?.spec.enableWorkspacePaths === true;
    for (const engagement of engagements) {
      if (!this.#engagements.has(engagement)) continue;
      if (paths) engagement.workspaces.watchPaths();
      if (!running.isEngaged(engagement.url)) running.add(engagement);
    }
  }

  async #replace(
    object: PublishedResource,
    found: FoundKinds,
    fingerprint: string,
    engagements: readonly EngagedVirtualWorkspace[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name: of } = object.metadata;
    const { kinds } = found;
    let sync: Sync;
    try {
      sync = this.#make(object, kinds, engagements);
    } catch (error) {
      await this.#stop(of);
      if (!(error instanceof InvalidRulesError)) throw error;
      this.#invalid.set(of, fingerprint);
      this.#conclude(of, { kind: 'invalid', problems: error.problems });
      return;
    }
    this.#invalid.delete(of);
    const release = holdWatches([
      { informers: this.#ctx.clusters.service.informers, resource: kinds.service.resource },
      ...engagements.map(({ informers }) => ({ informers, resource: kinds.kcp.resource })),
    ]);
    try {
      await this.#stop(of);
      await this.#endings.stopThoseOf(kinds, this.#scope.signal);
      const former = await this.#journal.writeFormer(object, kinds, signal);
      const engaged = engagements.map(({ url }) => url);
      const endpoints = this.#journal.endpointsOf(object.metadata.uid ?? of, kinds);
      await this.#journal.write(object, found, [...new Set([...endpoints, ...engaged])].sort(), signal);
      if (former !== undefined) {
        this.#ctx.logger.info(
          'A PublishedResource has become another resource in kcp: the objects of the former one are let go.',
          { publishedresource: of, former },
        );
        this.#queue.add(endPrefix + former);
      }
      const running = new RunningSync({ publishedResource: object, kinds, fingerprint, sync, engaged, endpoints });
      this.#running.set(of, running);
      this.#begin(running, (error) => {
        this.#onFailedStart(of, running, error);
      });
      this.#conclude(of, { kind: 'running', sync, endpoints: () => this.#endpointProblem() });
    } finally {
      release();
    }
  }

  /** `end`: the key of what ends. */
  #make(object: PublishedResource, kinds: PublishedKinds, engagements: readonly Engagement[], end?: string): Sync {
    const { name: of, uid = of } = object.metadata;
    return this.#options.createSync({
      publishedResource: object,
      kinds,
      engagements,
      publishedElsewhere: (other) => this.#publishes(other, object),
      isWhole: () => {
        const running = this.#endings.get(end ?? uid) ?? this.#running.get(of);
        return running !== undefined && isWhole(running, this.#engagements);
      },
      isGone: async (cluster, origin, signal) => {
        const running = this.#endings.get(end ?? uid) ?? this.#running.get(of);
        return (
          running !== undefined &&
          isWhole(running, this.#engagements) &&
          missingEndpoints(running, this.#engagements).length === 0 &&
          isWorkspaceGone(this.#options.hosts.home, this.#engagements, cluster, origin, signal)
        );
      },
      onReport: () => {
        this.#queue.addAfter(
          end !== undefined || this.#endings.has(uid) ? endPrefix + (end ?? uid) : reportPrefix + of,
          REPORT_MS,
        );
      },
    });
  }

  /** Whether a PublishedResource of this name publishes the same kind as another, or did and has not let go of its objects yet. */
  #publishes(
    name: string,
    {
      spec: {
        resource: { apiGroup, kind },
      },
    }: PublishedResource,
  ): boolean {
    const all = [
      this.#publishedResources.get({ name }),
      ...this.#endings.all.map(({ publishedResource }) => publishedResource),
    ];
    return all.some(
      (one) =>
        one?.metadata.name === name && one.spec.resource.apiGroup === apiGroup && one.spec.resource.kind === kind,
    );
  }

  #begin(running: RunningSync, onFailure: (error: unknown) => void): void {
    const {
      clusters: { service },
      metrics,
      clock,
      random,
      logger,
    } = this.#ctx;
    running.start(
      {
        clusters: { service },
        metrics,
        clock,
        random,
        logger: logger.child({ publishedresource: running.publishedResource.metadata.name }),
        signal: this.#scope.signal,
      },
      onFailure,
    );
  }

  /** It is not watched any more: deleted, or not selected. */
  async #gone(of: string, running: RunningSync, signal: AbortSignal): Promise<void> {
    if (await isDeleted(this.#ctx.clusters.service.client, of, running.uid, signal)) {
      this.#end(of);
      return;
    }
    await this.#stop(of);
    await this.#journal.remove(running.uid, signal);
  }

  /** The publication ends: its sync lets go of what is in workspaces, and stops when nothing is left. */
  #end(of: string): void {
    const running = this.#running.get(of);
    if (running === undefined) return;
    this.#running.delete(of);
    this.#endings.add(running, this.#publishedResources.get({ name: of }) ?? running.publishedResource);
    this.#queue.addAfter(endPrefix + running.uid, REPORT_MS);
  }

  #onFailedStart(of: string, running: RunningSync, error: unknown): void {
    const failures = (this.#failedStarts.get(of) ?? 0) + 1;
    this.#failedStarts.set(of, failures);
    this.#ctx.logger.error('A sync could not be started and will be started anew.', {
      publishedresource: of,
      failures,
      error,
    });
    if (this.#running.get(of) === running) this.#running.delete(of);
    void running.stop().catch(() => undefined);
    this.#queue.addAfter(syncPrefix + of, backoffDelay(startBackoff, failures, this.#ctx.random));
  }

  async #stop(of: string): Promise<void> {
    const running = this.#running.get(of);
    if (running === undefined) return;
    this.#running.delete(of);
    await running.stop();
  }

  #forget(of: string): void {
    for (const memory of [this.#shapes, this.#kinds, this.#journal]) memory.forget(of);
    for (const map of [this.#states, this.#looks, this.#failedStarts, this.#invalid]) map.delete(of);
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...[...this.#running.keys()].map((of) => this.#stop(of)), this.#endings.stop()]);
  }

  /** `state` undefined: it stands as it did. */
  #conclude(of: string, state: State | undefined): Result {
    if (state !== undefined) {
      this.#states.set(of, state);
      this.#queue.add(reportPrefix + of);
    }
    return done;
  }

  async #reconcileReport(of: string, signal: AbortSignal): Promise<Result> {
    const object = this.#publishedResources.get({ name: of });
    const state = this.#states.get(of);
    if (object === undefined || state === undefined) return done;
    await this.#writer.commit(object, (status) => withState(status, state, this.#ctx.clock.now()), signal);
    return done;
  }
}

/** Whether its objects are to be synchronised. */
function isWanted({ metadata, spec, status }: PublishedResource): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.resourceSchemaName ?? '') !== '' &&
    spec.synchronization?.enabled !== false
  );
}
