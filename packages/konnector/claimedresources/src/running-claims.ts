import {
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  isApiError,
  resourceName,
} from '@hawser/client';
import {
  type ControllerContext,
  type Queue,
  type QueueOptions,
  type Result,
  type Scope,
  done,
} from '@hawser/controller';
import { type APIServiceBinding, type CustomResourceDefinition, resourceGroupName, resources } from '@hawser/kube-bind';
import { type ClusterIdentities, type NamedWatches, createNamedWatches } from '@hawser/konnector-connection';
import { ConnectionCaches, type ServiceNamespaces, readBindingPolicy, refusalProblem } from '@hawser/konnector-sync';

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
import { type ClaimingPolicy, claimingPolicy } from './policies.js';
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
  readonly #caches: ConnectionCaches;
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
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#caches = new ConnectionCaches(ctx, scope, options.connection.clusterNamespace);
    this.#identities = this.#makeIdentities();
    this.#namespaces = this.#caches.openNamespaces(() => this.#identities.known?.consumerCluster);
    this.#secrets = this.#watchNamed(resources.secrets);
    this.#discoveryRetryMs = options.discoveryRetryMs ?? 30_000;
    this.#discovery = options.claimable === 'Any' ? this.#makeDiscovery() : undefined;
    this.#deletions = this.#makeDeletions();
    this.#crds = this.#watchNamed(resources.customResourceDefinitions);
    this.#landings = scope.own(this.#makeLandings());
    this.#report = new ClaimsReport(ctx, this.#caches.bindings);
    this.#queue = this.#openQueue(name, (key, signal) =>
      key === ROOM ? this.#recheckHeldForRoom() : this.#plan(signal),
    );
    this.#reports = this.#openQueue('claims-in-sync', (binding, signal) => this.#reportOn(binding, signal));
    scope.own(() => this.#served.stop());
    this.#follow();
  }

  /** Resolves when the caches are filled; then queues the claims. */
  async fill(): Promise<void> {
    await this.#caches.synced(this.#scope.signal);
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

  #makeIdentities(): ClaimIdentities {
    const { consumer, provider } = this.#ctx.clusters;
    const { clusterNamespace } = this.#options.connection;
    return new ClaimIdentities({ consumer: consumer.client, provider: provider.client, clusterNamespace });
  }

  /** Objects of the consumer that are watched one by one. */
  #watchNamed<T extends KubeObject>(resource: Resource): NamedWatches<T> {
    const { informers } = this.#ctx.clusters.consumer;
    return this.#scope.own(
      createNamedWatches<T>(informers, resource, () => {
        this.#look();
      }),
    );
  }

  #openQueue(name: string, reconcile: QueueOptions['reconcile']): Queue {
    return this.#scope.openQueue({ name, concurrency: 1, reconcile });
  }

  #follow(): void {
    this.#scope.watch(this.#caches.exports, this.#queue, () => PLAN);
    this.#scope.watch(this.#caches.bindings, this.#queue, () => PLAN);
    this.#scope.own(
      this.#options.connection.bindings.onChange(() => {
        this.#look();
      }),
    );
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
      bindings: () => this.#options.connection.bindings.names().map((name) => this.#caches.bindings.get(name)),
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
    const policies = new Map(toServe.map((one) => [one.name, this.#policyOf(one)]));
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
    return this.#options.connection.bindings.names().flatMap((name) => {
      const [binding, apiExport] = [this.#caches.bindings.get(name), this.#caches.exportOf(name)];
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

  #policyOf({ binding: { metadata }, apiExport }: BoundExport): ClaimingPolicy {
    const kubeconfigs = this.#options.connection.secrets().flatMap((ref) => {
      const reading = this.#secrets.read(ref);
      return reading.kind === 'found' ? [reading.object.metadata] : [];
    });
    const { policy } = readBindingPolicy({ binding: metadata, secrets: kubeconfigs });
    const crds = apiExport.spec.resources.map((resource) => this.#crds.read({ name: resourceGroupName(resource) }));
    return claimingPolicy(
      policy,
      crds.map((reading) => (reading.kind === 'found' ? reading.object : undefined)),
    );
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
          { bindings: () => this.#caches.bindings.list(), secrets: () => connection.secrets() },
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
    const apiExport = this.#caches.exportOf(name);
    return apiExport === undefined
      ? undefined
      : { apiVersion: apiExport.apiVersion, kind: 'APIServiceExport', name, uid: apiExport.metadata.uid ?? '' };
  }

  async #reportOn(name: string, signal: AbortSignal): Promise<Result> {
    const binding = this.#caches.bindings.get(name);
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
