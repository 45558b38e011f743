import {
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  isApiError,
  resourceName,
} from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type CustomResourceDefinition,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { type ClusterIdentities, type NamedWatches, createNamedWatches } from '@hawser/konnector-connection';
import {
  type BindingPolicy,
  type ServiceNamespaceObject,
  type ServiceNamespaces,
  createServiceNamespaces,
  readBindingPolicy,
  refusalProblem,
} from '@hawser/konnector-sync';

import { type AskedClaim, type Claim, type ReadClaims, claimable } from './claim.js';
import { ClaimDeletions } from './claim-deletions.js';
import { ClaimIdentities } from './claim-identities.js';
import { ClaimLandings } from './claim-landings.js';
import { type ClaimSync, createClaimSync } from './claim-sync.js';
import type { ClaimedResourcesOptions } from './claimedresources.js';
import type { BindingClaimProblem } from './claims-in-sync.js';
import { ClaimsReport } from './claims-report.js';
import { decideReport } from './decide-report.js';
import type { Decision } from './decision.js';
import { type ClaimDiscovery, askedResources, createClaimDiscovery } from './discovery.js';
import { type BoundExport, planClaims } from './plan-claims.js';
import { protectionOf } from './protection.js';
import { ServedClaims } from './served-claims.js';

export interface RunningClaimsOptions extends ClaimedResourcesOptions {
  readonly claimsOf: (binding: APIServiceBinding) => readonly AskedClaim[];
}

/** Key for all bindings at once: claims of several on one resource are served together. */
const PLAN = 'plan';
/** Key for a recheck of objects held for lack of room. */
const ROOM = 'room';
/** Not for each deleted object: a provider can delete and create them as fast as it likes. */
const ROOM_DELAY_MS = 5_000;

/** One run of the claims controller: turns bindings into one sync per claimed resource, and reports on them. */
export class RunningClaims {
  readonly #options: RunningClaimsOptions;
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  readonly #exports: InformerHandle<APIServiceExport>;
  readonly #serviceNamespaces: InformerHandle<ServiceNamespaceObject>;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #namespaces: ServiceNamespaces;
  /** For the annotation that pauses the connection. The controllers of ClusterBinding and exports watch them too. */
  readonly #secrets: NamedWatches<KubeObject>;
  readonly #crds: NamedWatches<CustomResourceDefinition>;
  readonly #discoveryRetryMs: number;
  readonly #discovery: ClaimDiscovery | undefined;
  readonly #identities: ClaimIdentities;
  readonly #landings: ClaimLandings;
  readonly #deletions: ClaimDeletions;
  readonly #report: ClaimsReport;
  readonly #queue: Queue;
  readonly #reports: Queue;
  readonly #served = new ServedClaims();
  readonly #readings = new Map<string, ReadClaims>();
  /** By binding: why its claims are not served at all. */
  readonly #refusals = new Map<string, BindingClaimProblem>();

  constructor(
    options: RunningClaimsOptions,
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace } = options.connection;
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#exports = scope.cache<APIServiceExport>(provider, {
      resource: resources.apiServiceExports,
      namespace: clusterNamespace,
    });
    this.#serviceNamespaces = scope.cache<ServiceNamespaceObject>(provider, {
      resource: resources.apiServiceNamespaces,
      namespace: clusterNamespace,
    });
    this.#bindings = scope.cache<APIServiceBinding>(consumer, { resource: resources.apiServiceBindings });
    this.#identities = new ClaimIdentities({ consumer: consumer.client, provider: provider.client, clusterNamespace });
    this.#namespaces = this.#makeNamespaces();
    const look = (): void => {
      this.#look();
    };
    this.#secrets = createNamedWatches<KubeObject>(consumer.informers, resources.secrets, look);
    scope.own(this.#secrets);
    this.#discoveryRetryMs = options.discoveryRetryMs ?? 30_000;
    this.#discovery = options.claimable === 'Any' ? this.#makeDiscovery() : undefined;
    this.#deletions = this.#makeDeletions();
    scope.own(() => {
      this.#landings.close();
    });
    this.#crds = createNamedWatches<CustomResourceDefinition>(
      consumer.informers,
      resources.customResourceDefinitions,
      look,
    );
    scope.own(this.#crds);
    this.#landings = this.#makeLandings();
    this.#report = new ClaimsReport(ctx, this.#bindings);
    this.#queue = scope.openQueue({
      name,
      concurrency: 1,
      reconcile: (key, signal) => (key === ROOM ? this.#recheckHeldForRoom() : this.#plan(signal)),
    });
    this.#reports = scope.openQueue({
      name: 'claims-in-sync',
      concurrency: 1,
      reconcile: (binding, signal) => this.#reportOn(binding, signal),
    });
    scope.own(() => this.#served.stop());
    scope.watch(this.#exports, this.#queue, () => PLAN);
    scope.watch(this.#bindings, this.#queue, () => PLAN);
    scope.own(options.connection.bindings.onChange(look));
  }

  /** Resolves when the caches are filled; then queues the claims. */
  async fill(): Promise<void> {
    const { signal } = this.#scope;
    await Promise.all([
      this.#exports.synced(signal),
      this.#serviceNamespaces.synced(signal),
      this.#bindings.synced(signal),
    ]);
    this.#look();
  }

  /** Leaving has queued the plan: once it is idle its claims are no longer served. */
  async settled(): Promise<void> {
    await this.#queue.idle();
    await this.#served.idle();
  }

  plan(resource: Resource, object: string): Decision | undefined {
    return this.#served.sync(resourceName(resource))?.plan(object);
  }

  #makeNamespaces(): ServiceNamespaces {
    return createServiceNamespaces({
      client: this.#ctx.clusters.provider.client,
      resource: resources.apiServiceNamespaces,
      clusterNamespace: this.#options.connection.clusterNamespace,
      informer: this.#serviceNamespaces,
      now: () => this.#ctx.clock.monotonic(),
      consumerCluster: () => this.#identities.known?.consumerCluster,
    });
  }

  #makeDiscovery(): ClaimDiscovery {
    const { consumer, provider } = this.#ctx.clusters;
    return createClaimDiscovery(
      { consumer: consumer.client, provider: provider.client },
      () => this.#ctx.clock.monotonic(),
      this.#discoveryRetryMs,
    );
  }

  #makeDeletions(): ClaimDeletions {
    return new ClaimDeletions({
      clock: this.#ctx.clock,
      perMinute: this.#options.deletionsPerMinute,
      bindings: () => this.#options.connection.bindings.names().map((name) => this.#bindings.get(name)),
      changed: () => {
        this.#requestReports(this.#options.connection.bindings.names());
      },
    });
  }

  #makeLandings(): ClaimLandings {
    return new ClaimLandings({
      informers: this.#ctx.clusters.consumer.informers,
      crds: this.#crds,
      changed: (namespace) => {
        for (const sync of this.#served.syncs) sync.recheckNamespaces(namespace);
      },
    });
  }

  #look(): void {
    this.#queue.add(PLAN);
  }

  #requestReports(bindings: Iterable<string>): void {
    for (const name of bindings) this.#reports.addAfter(name, this.#options.reportDelayMs ?? 2_000);
  }

  #recheckHeldForRoom(): Promise<Result> {
    for (const sync of this.#served.syncs) sync.recheckHeldForRoom();
    return Promise.resolve(done);
  }

  async #plan(signal: AbortSignal): Promise<Result> {
    const { connection, claimsOf } = this.#options;
    this.#secrets.want(connection.secrets());
    await this.#secrets.settled(signal);
    const toServe = this.#toServe();
    const uids = new Set(toServe.map(({ binding }) => binding.metadata.uid ?? ''));
    if (this.#identities.isDoubted(uids)) await this.#identifyAgain(signal);
    this.#identities.identified(uids);
    await this.#discovery?.learn(askedResources(toServe.flatMap(({ binding }) => claimsOf(binding))), signal);
    if (this.#discovery?.waits === true) this.#queue.addAfter(PLAN, this.#discoveryRetryMs);
    this.#readings.clear();
    this.#refusals.clear();
    for (const { binding } of toServe) this.#deletions.approve(binding);
    this.#landings.open(toServe);
    this.#crds.want(this.#boundCRDs(toServe));
    await this.#crds.settled(signal);
    const { readings, wanted } = planClaims(
      toServe.map(({ name, binding, apiExport }) => ({ name, apiExport, claims: claimsOf(binding) })),
      this.#discovery?.claimable ?? claimable,
    );
    for (const [name, reading] of readings) this.#readings.set(name, reading);
    const policies = new Map(toServe.map(({ name, binding }) => [name, this.#policyOf(binding)]));
    for (const name of this.#served.names) if (!wanted.has(name)) await this.#served.drop(name);
    this.#requestReports(connection.bindings.names());
    this.#landings.bind(toServe);
    for (const [name, claims] of wanted) {
      const [first] = claims;
      if (first === undefined) continue;
      if (this.#served.sync(name) === undefined) {
        const known = await this.#identitiesFor(claims, signal);
        // A sync opened from now on would never be closed.
        if (this.#scope.signal.aborted) return done;
        this.#landings.watch(known.clusterNamespaceUid, toServe);
        this.#served.open(name, this.#openSync(known, first.resource));
      }
      this.#served.setClaims(name, { claims, policies, opened: this.#landings.opened });
    }
    return done;
  }

  #toServe(): readonly BoundExport[] {
    const { clusterNamespace, bindings } = this.#options.connection;
    return bindings.names().flatMap((name) => {
      const [binding, apiExport] = [this.#bindings.get(name), this.#exports.get({ namespace: clusterNamespace, name })];
      return binding === undefined || binding.metadata.deletionTimestamp !== undefined || apiExport === undefined
        ? []
        : [{ name, binding, apiExport }];
    });
  }

  /** One cluster may have replaced another unseen: then remembered state is invalid. */
  async #identifyAgain(signal: AbortSignal): Promise<void> {
    const now = await this.#identities.read(signal);
    if (this.#identities.areKnown(now)) return;
    this.#ctx.logger.info('Claims are served anew: a cluster has been replaced.');
    for (const name of this.#served.names) await this.#served.drop(name);
    this.#identities.set(now);
    this.#landings.close();
  }

  /** CRDs of the bound resources: they decide where claims may put objects. */
  #boundCRDs(toServe: readonly BoundExport[]): readonly ObjectKey[] {
    const claiming = toServe.some(({ binding }) => this.#options.claimsOf(binding).length > 0);
    return claiming
      ? toServe.flatMap(({ apiExport }) =>
          apiExport.spec.resources.map((resource) => ({ name: resourceGroupName(resource) })),
        )
      : [];
  }

  #policyOf({ metadata }: APIServiceBinding): BindingPolicy {
    const kubeconfigs = this.#options.connection.secrets().flatMap((ref) => {
      const reading = this.#secrets.read(ref);
      return reading.kind === 'found' ? [reading.object.metadata] : [];
    });
    return readBindingPolicy({ binding: metadata, secrets: kubeconfigs }).policy;
  }

  async #identitiesFor(claims: readonly Claim[], signal: AbortSignal): Promise<ClusterIdentities> {
    try {
      return this.#identities.known ?? (await this.#identities.resolve(signal));
    } catch (error) {
      if (isApiError(error, 'Forbidden', 'Unauthorized')) {
        const side = error.request.cluster === 'provider' ? 'provider' : 'consumer';
        for (const { binding } of claims)
          this.#refusals.set(
            binding,
            refusalProblem(error, side, {
              consequence: 'Claims are not served until then.',
              chart: 'claimedResources',
            }),
          );
      }
      throw error;
    }
  }

  #openSync(known: ClusterIdentities, resource: Resource): ClaimSync {
    const {
      connection,
      namespaceGraceMs = 30_000,
      missingGraceMs,
      marks,
      maxObjects = 1_000,
      concurrency = 4,
    } = this.#options;
    const {
      clusters: { consumer, provider },
      clock,
      random,
      logger,
      metrics,
    } = this.#ctx;
    return createClaimSync({
      resource,
      settings: { ...known, clusterNamespace: connection.clusterNamespace, namespaceGraceMs, missingGraceMs, marks },
      consumer,
      provider,
      namespaces: this.#namespaces,
      exportOwner: (name) => this.#exportOwner(name),
      protection: (side, namespace, original) =>
        protectionOf(
          { bindings: () => this.#bindings.list(), secrets: () => connection.secrets() },
          resource,
          side,
          namespace,
          original,
        ),
      landing: (namespace, bindings) => this.#landings.of(namespace, bindings),
      maxObjects,
      copies: (binding) => this.#served.copies(binding),
      deletions: this.#deletions.open(),
      onRoom: () => {
        this.#queue.addAfter(ROOM, ROOM_DELAY_MS);
      },
      concurrency,
      clock,
      random,
      logger,
      metrics,
      onProblems: () => {
        this.#requestReports(this.#served.bindingsOf(resourceName(resource)));
      },
      onReplaced: () => {
        this.#identities.doubt();
        this.#look();
      },
    });
  }

  #exportOwner(name: string): OwnerReference | undefined {
    const apiExport = this.#exports.get({ namespace: this.#options.connection.clusterNamespace, name });
    return apiExport === undefined
      ? undefined
      : { apiVersion: apiExport.apiVersion, kind: 'APIServiceExport', name, uid: apiExport.metadata.uid ?? '' };
  }

  async #reportOn(name: string, signal: AbortSignal): Promise<Result> {
    const binding = this.#bindings.get(name);
    if (binding === undefined || !this.#options.connection.bindings.has(name)) return done;
    const { budget } = this.#deletions;
    if (this.#served.surveyed) budget?.surveyed();
    const deletions = budget?.held;
    const report = decideReport({
      syncs: this.#served
        .syncsOf(name)
        .map((sync) => ({ troubles: sync.troubles(), problems: sync.problems(name), surveyed: sync.surveyed })),
      held: budget === undefined || deletions === undefined ? undefined : { deletions, perMinute: budget.perMinute },
      refusal: this.#refusals.get(name),
      reading: this.#readings.get(name),
    });
    const waitMs = report === undefined ? 0 : await this.#report.write(binding, report, signal);
    return waitMs > 0 ? { kind: 'requeue', afterMs: waitMs } : done;
  }
}
