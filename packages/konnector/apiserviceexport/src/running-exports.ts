import type { KubeObject } from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, done } from '@hawser/controller';
import { type InformerHandle, ChangedShapes } from '@hawser/informer';
import { type APIServiceBinding, type BoundSchema, resources } from '@hawser/kube-bind';
import { ConnectionCaches, createWriterShares } from '@hawser/konnector-sync';

import { type BindingPolicies, createBindingPolicies } from './binding-policies.js';
import { type BindingReports, createBindingReports } from './binding-reports.js';
import { ConnectionIdentities } from './connection-identities.js';
import { type Blocked, decideBlocked, scopeProblemText } from './decide-blocked.js';
import type { APIServiceExportOptions, ParkedObject } from './export-controller.js';
import { ExportObserver } from './export-observer.js';
import { heldSchemaOf } from './held-schema.js';
import { ObjectsReport } from './objects-report.js';
import { type ExportSnapshot, type SyncConfig, type SyncPlan, planSyncs, resourceNames } from './plan-syncs.js';
import { ProviderReports } from './provider-reports.js';
import { type RunningSync, type SyncSet, createSyncSet } from './sync-set.js';
import { SyncStarter } from './sync-starter.js';

/** One run of the export controller: turns exports and bindings into syncs and reports. */
export class RunningExports {
  readonly #options: APIServiceExportOptions;
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  readonly #caches: ConnectionCaches;
  readonly #schemas: InformerHandle<BoundSchema>;
  readonly #observer: ExportObserver;
  readonly #policies: BindingPolicies;
  readonly #identities: ConnectionIdentities;
  readonly #starter: SyncStarter;
  readonly #toProvider: ProviderReports;
  readonly #objects: ObjectsReport;
  readonly #queue: Queue;
  readonly #reports: BindingReports;
  readonly #shapes: ChangedShapes;
  readonly #sets = new Map<string, SyncSet>();
  readonly #blocked = new Map<string, Blocked>();
  /** By export: the held schema changes at the last look, as text. */
  readonly #held = new Map<string, string>();
  /** By binding: the policy reported last, as text. */
  readonly #reported = new Map<string, string>();

  constructor(
    options: APIServiceExportOptions,
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { clusterNamespace: namespace } = options.connection;
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#caches = new ConnectionCaches(ctx, scope, namespace);
    this.#schemas = scope.cache(ctx.clusters.provider, { resource: resources.boundSchemas, namespace });
    this.#observer = this.#openObserver();
    this.#policies = scope.own(this.#makePolicies());
    this.#identities = scope.own(this.#makeIdentities());
    this.#starter = this.#makeStarter();
    this.#shapes = new ChangedShapes(ctx.clock);
    this.#objects = this.#makeObjectsReport();
    this.#toProvider = this.#openProviderReports();
    this.#queue = scope.openQueue({ name, concurrency: 4, reconcile: (key, signal) => this.#reconcile(key, signal) });
    this.#reports = scope.own(this.#makeReports());
    scope.own(() => this.#stopSyncs());
    this.#follow();
  }

  /** Resolves when its caches are filled. */
  async synced(): Promise<void> {
    await this.#caches.synced(this.#scope.signal);
  }

  async released(binding: string): Promise<void> {
    // Leaving has queued the export's key: once the queue is idle its syncs are stopped.
    await this.#queue.idle();
    await this.#sets.get(binding)?.stop();
  }

  deadLetters(): readonly ParkedObject[] {
    return [...this.#sets.values()]
      .flatMap((set) => set.all())
      .flatMap(({ sync, config }) =>
        sync.deadLetters().map((letter) => ({ ...letter, binding: config.bindingName, resource: config.crdName })),
      );
  }

  syncs(): readonly (RunningSync & { readonly export: string })[] {
    return [...this.#sets].flatMap(([name, set]) => set.all().map((running) => ({ ...running, export: name })));
  }

  #openObserver(): ExportObserver {
    const { consumer, provider } = this.#ctx.clusters;
    return new ExportObserver({
      connection: this.#options.connection,
      exports: this.#caches.exports,
      schemas: this.#schemas,
      bindings: this.#caches.bindings,
      informers: consumer.informers,
      provider: provider.client,
      scope: this.#scope,
      crdChanged: (name) => {
        for (const key of this.#exportsOf(name)) this.#queue.add(key);
      },
      secretChanged: () => {
        for (const name of this.#options.connection.bindings.names()) this.#queue.add(name);
      },
    });
  }

  #makeIdentities(): ConnectionIdentities {
    const { consumer, provider } = this.#ctx.clusters;
    const { clusterNamespace } = this.#options.connection;
    return new ConnectionIdentities({ consumer: consumer.client, provider: provider.client, clusterNamespace });
  }

  #openProviderReports(): ProviderReports {
    const { connection, outcomes } = this.#options;
    const reports = new ProviderReports({
      ctx: this.#ctx,
      namespace: connection.clusterNamespace,
      exports: this.#caches.exports,
      schemas: this.#schemas,
      bindings: this.#caches.bindings,
      served: connection.bindings,
      outcomes,
    });
    // A connection ends with its last binding: send pending reports after the last look, before the caches end.
    this.#scope.own(() => reports.reportDepartures());
    return reports;
  }

  #makeReports(): BindingReports {
    return createBindingReports(this.#options.reportDelayMs ?? 2_000, this.#ctx, (binding) =>
      this.#objects.report(binding),
    );
  }

  #makePolicies(): BindingPolicies {
    return createBindingPolicies({
      orphans: this.#options.orphans,
      clock: this.#ctx.clock,
      metrics: this.#ctx.metrics,
      secrets: () => this.#observer.secrets(),
      changed: (binding) => {
        this.#reports.request(binding);
      },
    });
  }

  #makeObjectsReport(): ObjectsReport {
    return new ObjectsReport({
      ctx: this.#ctx,
      signal: this.#scope.signal,
      bindings: this.#caches.bindings,
      served: this.#options.connection.bindings,
      policies: this.#policies,
      running: (binding) => this.#sets.get(binding)?.all() ?? [],
      blocked: (binding) => this.#blocked.get(binding)?.problems ?? [],
    });
  }

  #makeStarter(): SyncStarter {
    return new SyncStarter({
      ctx: this.#ctx,
      options: this.#options,
      exports: this.#caches.exports,
      bindings: this.#caches.bindings,
      namespaces: this.#caches.openNamespaces(() => this.#identities.known.consumerCluster),
      writers: this.#options.writers ?? createWriterShares(this.#ctx.clock),
      policies: this.#policies,
      identities: this.#identities,
      problemsChanged: (config) => {
        this.#problemsChanged(config);
      },
    });
  }

  #follow(): void {
    const { connection, outcomes } = this.#options;
    const toName = ({ metadata }: KubeObject): string => metadata.name;
    this.#scope.watch(this.#caches.exports, this.#queue, toName);
    this.#scope.watch(this.#schemas, this.#queue, ({ metadata }) => this.#exportsOf(metadata.name));
    this.#scope.watch(this.#caches.bindings, this.#queue, toName);
    this.#scope.own(
      connection.bindings.onChange((name, change) => {
        this.#toProvider.served(name, change);
        this.#queue.add(name);
      }),
    );
    if (outcomes !== undefined)
      this.#scope.own(
        outcomes.onChange((name) => {
          this.#queue.add(name);
        }),
      );
  }

  async #stopSyncs(): Promise<void> {
    await Promise.all([...this.#sets.values()].map((set) => set.stop()));
    this.#sets.clear();
  }

  /** Names of the exports of a resource, `databases.example.com`. */
  #exportsOf(resource: string): readonly string[] {
    return this.#caches.exports
      .list()
      .filter((apiExport) => resourceNames(apiExport).includes(resource))
      .map(({ metadata }) => metadata.name);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const apiExport = this.#caches.exportOf(name);
    if (apiExport === undefined) {
      await this.#forget(name);
      return done;
    }
    const snapshot = await this.#observer.observe(apiExport, signal);
    await this.#identities.resolve(signal);
    const set = this.#setOf(name);
    const plans = planSyncs(snapshot);
    await set.apply(plans);
    if (snapshot.binding !== undefined) this.#followPolicy(snapshot.binding, set);
    this.#followHolds(snapshot, set);
    const retriesMs = [this.#block(name, plans), this.#reread(snapshot, set)].filter((ms) => ms !== undefined);
    const waitMs = await this.#toProvider.report(snapshot, scopeProblemText(this.#blocked.get(name)), signal);
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    return retriesMs.length === 0 ? done : { kind: 'requeue', afterMs: Math.min(...retriesMs), priority: 'background' };
  }

  async #forget(name: string): Promise<void> {
    await this.#sets.get(name)?.stop();
    this.#sets.delete(name);
    this.#blocked.delete(name);
    this.#objects.forget(name);
    this.#policies.forget(name);
    this.#shapes.forget(name);
    this.#held.delete(name);
    this.#reported.delete(name);
  }

  #setOf(name: string): SyncSet {
    const known = this.#sets.get(name);
    if (known !== undefined) return known;
    const set = createSyncSet(
      (config) => this.#starter.start(config),
      this.#ctx.logger.child({ export: name }),
      this.#scope.signal,
    );
    this.#sets.set(name, set);
    return set;
  }

  /** Relists objects of a resource some time after a schema change. Returns when to come back for that. */
  #reread(snapshot: ExportSnapshot, set: SyncSet): number | undefined {
    const { due, againInMs } = this.#shapes.look(
      snapshot.export.metadata.name,
      snapshot.resources.map(({ name, crd, schema }) => {
        const onProvider = schema.kind === 'found' ? schema.schema.metadata.generation : undefined;
        return {
          name,
          shape:
            crd?.metadata.generation === undefined || onProvider === undefined
              ? undefined
              : `${crd.metadata.generation}/${onProvider}`,
        };
      }),
    );
    for (const { config, sync } of set.all()) if (due.includes(config.crdName)) sync.relist();
    return againInMs;
  }

  /** Passes the binding's current policy to running syncs. */
  #followPolicy(binding: APIServiceBinding, set: SyncSet): void {
    const { name } = binding.metadata;
    const reading = this.#policies.read(binding);
    for (const { sync } of set.all()) sync.use(reading.policy);
    this.#policies.approve(binding);
    const text = JSON.stringify(reading);
    if (this.#reported.get(name) !== text) this.#reports.request(name);
    this.#reported.set(name, text);
  }

  /** Reconciles objects refused by the provider's schema again when the held change differs or has ended. */
  #followHolds({ export: apiExport, binding }: ExportSnapshot, set: SyncSet): void {
    const { name } = apiExport.metadata;
    const now = JSON.stringify(set.all().map(({ config }) => heldSchemaOf(config.crdName, apiExport, binding) ?? null));
    const before = this.#held.get(name);
    this.#held.set(name, now);
    if (before === undefined || before === now) return;
    for (const { sync } of set.all())
      if (sync.problems().some(({ reason }) => reason === 'RejectedByProvider' || reason === 'SchemaChangeHeld'))
        sync.recheck();
  }

  /** Notes resources that cannot be synced, and reports changes. Returns when to look again if no event comes. */
  #block(name: string, plans: readonly SyncPlan[]): number | undefined {
    const { blocked, isNews, misplaced, retryMs } = decideBlocked(
      this.#blocked.get(name),
      plans,
      this.#ctx.clock.monotonic(),
      this.#options.scopeRetryMs,
    );
    if (isNews) this.#reports.request(name);
    for (const resource of misplaced) this.#observer.forgetScope(resource);
    this.#blocked.set(name, blocked);
    return retryMs;
  }

  #problemsChanged({ bindingName, exportName, crdName }: SyncConfig): void {
    this.#reports.request(bindingName);
    const sync = this.#sets
      .get(exportName)
      ?.all()
      .find(({ config }) => config.crdName === crdName)?.sync;
    // For example, the provider replaced its CRD by one of another scope: cached facts may be wrong.
    if (
      sync?.troubles().some(({ reason }) => reason === 'NotServedByProvider') !== true &&
      sync?.problems().some(({ reason }) => reason === 'FailedOnProvider') !== true
    )
      return;
    this.#observer.forgetScope(crdName);
    this.#queue.add(exportName);
  }
}
