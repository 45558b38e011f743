import { type ControllerContext, type Problem, type Queue, type Result, type Scope, done } from '@hawser/controller';
import { createStatusWriter } from '@hawser/publication';
import type { Engagement, Sync } from '@hawser/syncagent-sync';
import { Caches, type ClusterNames } from './caches.js';
import { Endings } from './endings.js';
import { endpointProblem } from './endpoint-problem.js';
import { Engagements } from './engagements.js';
import { Keys, parseKey } from './keys.js';
import { KindsFinder } from './kinds-finder.js';
import { PublicationJournal } from './publication-journal.js';
import { PublicationLooks } from './publication-look.js';
import { measurePublications } from './publication-metrics.js';
import { PublicationRecords } from './publication-records.js';
import { PublicationStates } from './publication-states.js';
import { RunningSyncs } from './running-syncs.js';
import type { Publication, SyncmanagerOptions } from './syncmanager.js';
import { isTwin } from './twins.js';

/** Creates the parts of the syncmanager. Turns watch events into keys, and keys into looks. */
export class Manager {
  readonly #options: SyncmanagerOptions;
  readonly #ctx: ControllerContext<ClusterNames>;
  readonly #scope: Scope;
  readonly #caches: Caches;
  readonly #keys = new Keys(() => this.#queue);
  readonly #engagements: Engagements;
  readonly #journal: PublicationJournal;
  readonly #states: PublicationStates;
  readonly #syncs: RunningSyncs;
  readonly #endings: Endings;
  readonly #looks: PublicationLooks;
  readonly #queue: Queue;
  /** While false, it is unknown which workspaces have bound. */
  #endpointsKnown = false;

  constructor(options: SyncmanagerOptions, ctx: ControllerContext<ClusterNames>, scope: Scope) {
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#caches = new Caches(ctx.clusters, scope, options);
    this.#journal = this.#makeJournal();
    this.#states = new PublicationStates(this.#caches, this.#openWriter(), ctx.clock, this.#keys);
    // Closed after the syncs: none loses its watches while it drains.
    this.#engagements = scope.own(this.#openEngagements());
    this.#syncs = this.#openSyncs();
    this.#endings = this.#openEndings();
    this.#looks = this.#openLooks();
    scope.own(this.#measure());
    scope.own(() => this.#syncs.stopAll());
    this.#queue = this.#openQueue();
  }

  async open(): Promise<void> {
    const scope = this.#scope;
    const { slices, exports, publishedResources, definitions } = this.#caches;
    scope.onChange(slices, () => {
      this.#keys.endpoints({ resetBackoff: true });
    });
    scope.onChange(exports, () => {
      this.#lookAtAll();
    });
    scope.onChange(publishedResources, (changed) => {
      const { name } = changed.metadata;
      this.#looks.forgetLooks(name);
      for (const other of publishedResources.list()) if (isTwin(other, changed)) this.#keys.sync(other.metadata.name);
      this.#keys.sync(name, { resetBackoff: true });
    });
    scope.onChange(definitions, ({ metadata }) => {
      this.#lookAtGroup(metadata.name);
    });
    await Promise.all([
      scope.synced(),
      this.#journal.load(scope.signal),
      this.#engagements.follow(this.#options.located),
    ]);
    this.#keys.endpoints();
  }

  syncOf(publishedResource: string): Sync | undefined {
    return this.#syncs.get(publishedResource)?.sync;
  }

  get engagements(): readonly Engagement[] {
    return this.#engagements.ready;
  }

  get publications(): readonly Publication[] {
    return [...this.#syncs.all(), ...this.#endings.all].map(({ publishedResource, kinds, sync }) => ({
      publishedResource: publishedResource.metadata.name,
      kinds,
      sync,
    }));
  }

  report(): void {
    for (const of of this.#states.names()) this.#keys.report(of);
    for (const key of this.#endings.keys) this.#keys.end(key);
  }

  async #reconcile(text: string, signal: AbortSignal): Promise<Result> {
    const key = parseKey(text);
    switch (key.kind) {
      case 'endpoints':
        await this.#engagements.follow(this.#caches.slice);
        this.#endpointsKnown = true;
        this.#lookAtAll();
        return done;
      case 'end':
        return this.#endings.look(key.of, signal);
      case 'report':
        await this.#states.write(key.of, signal);
        return done;
      case 'sync':
        return this.#looks.look(key.of, signal);
    }
  }

  #lookAtAll(): void {
    this.#looks.forgetLooks();
    const present = new Set<string | undefined>();
    for (const { metadata } of this.#caches.publishedResources.list()) {
      present.add(metadata.uid);
      this.#keys.sync(metadata.name);
    }
    for (const key of this.#journal.all.keys()) if (!present.has(key) || this.#endings.has(key)) this.#keys.end(key);
  }

  /** The group is part of a CRD's name. */
  #lookAtGroup(definition: string): void {
    for (const { metadata, spec } of this.#caches.publishedResources.list())
      if (definition.endsWith(`.${spec.resource.apiGroup}`)) this.#keys.sync(metadata.name);
  }

  /** Problem with the endpoints themselves. */
  #endpointProblem(): Problem | undefined {
    const { unusable, unreadable } = this.#engagements;
    return endpointProblem({
      slice: this.#options.endpointSlice,
      isSliceThere: this.#caches.slice !== undefined,
      unusable,
      unreadable,
    });
  }

  #openQueue(): Queue {
    return this.#scope.openQueue({
      name: 'syncagent-syncmanager',
      concurrency: 4,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
  }

  #measure(): () => void {
    return measurePublications(this.#ctx.metrics, {
      agent: this.#options.agent.name,
      now: () => this.#ctx.clock.now(),
      syncs: () => this.#syncs.byName(),
    });
  }

  #makeJournal(): PublicationJournal {
    const { namespace, name } = this.#options.agent;
    const records = new PublicationRecords(this.#ctx.clusters.service.client, namespace, name);
    return new PublicationJournal(records, this.#ctx.logger);
  }

  #openWriter(): ReturnType<typeof createStatusWriter> {
    const { clusters, clock, random, logger } = this.#ctx;
    const { publishedResources, definitions } = this.#caches;
    return createStatusWriter({
      client: clusters.service.client,
      publishedResources,
      definitions,
      clock,
      random,
      logger,
    });
  }

  #openEngagements(): Engagements {
    const { clock, random, logger, metrics } = this.#ctx;
    return new Engagements({
      hosts: this.#options.hosts,
      mayWrite: this.#options.mayWrite,
      clock,
      random,
      logger,
      metrics,
      onChange: () => {
        this.#lookAtAll();
      },
      onState: () => {
        for (const { metadata } of this.#caches.publishedResources.list()) this.#keys.syncAfter(metadata.name);
      },
      onRecovered: () => {
        this.#keys.recovered();
      },
      onDisengage: (url) => {
        for (const running of [...this.#syncs.all(), ...this.#endings.all]) running.remove(url);
      },
    });
  }

  #openSyncs(): RunningSyncs {
    return new RunningSyncs({
      options: this.#options,
      ctx: this.#ctx,
      signal: this.#scope.signal,
      caches: this.#caches,
      engagements: this.#engagements,
      journal: this.#journal,
      states: this.#states,
      keys: this.#keys,
      endings: () => this.#endings,
      endpointProblem: () => this.#endpointProblem(),
    });
  }

  #openEndings(): Endings {
    const { clusters, clock, logger } = this.#ctx;
    const { client, events } = clusters.service;
    return new Endings({
      service: client,
      engagements: this.#engagements,
      journal: this.#journal,
      logger,
      events,
      now: () => clock.now(),
      isSliceKnown: () => this.#endpointsKnown,
      present: (of) => this.#caches.published(of),
      running: () => this.#syncs.all(),
      make: (object, kinds, engagements, key) => this.#syncs.make(object, kinds, engagements, key),
      begin: (ending, onFailure) => {
        this.#syncs.begin(ending, onFailure);
      },
      schedule: (key, afterMs = 0) => {
        this.#keys.endAfter(key, afterMs);
      },
    });
  }

  #openLooks(): PublicationLooks {
    const { provider } = this.#ctx.clusters;
    return new PublicationLooks({
      ctx: this.#ctx,
      caches: this.#caches,
      engagements: this.#engagements,
      endings: this.#endings,
      journal: this.#journal,
      kinds: new KindsFinder({
        discover: this.#options.discover,
        provider: provider.client,
        definitions: this.#caches.definitions,
        recorded: (uid) => this.#journal.all.get(uid),
      }),
      syncs: this.#syncs,
      states: this.#states,
      keys: this.#keys,
      annotations: this.#options.annotations ?? [],
      endpointsKnown: () => this.#endpointsKnown,
      endpointProblem: () => this.#endpointProblem(),
    });
  }
}
