import type { KubeObject } from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, WriteBudget, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { fillInformers } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type ClusterBinding,
  resourceGroupName,
} from '@hawser/kube-bind';
import { createTurns } from '@hawser/schemagate';
import { act } from './act.js';
import { commit } from './commit.js';
import { type WantedConditions, concludeWithoutExport } from './conclude.js';
import { type Bind, concludeBinding, nextLook } from './conclude-binding.js';
import { type StatusFields, decide } from './decide.js';
import { ExportRequests } from './export-requests.js';
import { type HeldMetric, createHeldMetric } from './held-schemas.js';
import { type Observer, exportedResources, observe } from './observe.js';
import type { Attempt, Observed } from './observed.js';
import { Readings } from './readings.js';
import type { ServiceBindingOptions } from './servicebinding.js';
import { consumerSpecs, providerSpecs } from './sources.js';
import { tellOutcomes } from './tell-outcomes.js';
import { WantedCRDs } from './wanted-crds.js';
import { writeConsent } from './write-consent.js';

/** Stored objects are read in the first, and once more for each change of the schema, or of what the binding says of it, meanwhile. */
const maxRounds = 5;
/** After that many. */
const breathMs = 1_000;

/** One run of what binds the exports of a provider. */
export class RunningBindings {
  readonly #options: ServiceBindingOptions;
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #crds: InformerHandle<KubeObject>;
  readonly #exports: InformerHandle<APIServiceExport>;
  readonly #schemas: InformerHandle<BoundSchema>;
  readonly #clusterBindings: InformerHandle<ClusterBinding>;
  readonly #requests: ExportRequests;
  readonly #heldMetric: HeldMetric;
  readonly #attempts = new Map<string, Attempt>();
  /** What a provider can make us write, by changing its schemas, its exports or its name. */
  readonly #budget = new WriteBudget();
  readonly #observer: Observer;
  readonly #queue: Queue;

  constructor(
    options: ServiceBindingOptions,
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { consumer, provider } = ctx.clusters;
    const provided = providerSpecs(options.connection);
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>(consumerSpecs.bindings));
    this.#crds = scope.informer(consumer.informers.acquire<KubeObject>(consumerSpecs.crds));
    this.#exports = scope.informer(provider.informers.acquire<APIServiceExport>(provided.exports));
    this.#schemas = scope.informer(provider.informers.acquire<BoundSchema>(provided.schemas));
    this.#clusterBindings = scope.informer(provider.informers.acquire<ClusterBinding>(provided.clusterBindings));
    this.#requests = new ExportRequests(
      () => provider.informers.acquire<APIServiceExportRequest>(provided.requests),
      (changed) => {
        this.#enqueue(changed);
      },
    );
    scope.own(() => {
      this.#requests.close();
    });
    this.#heldMetric = createHeldMetric(ctx.metrics);
    scope.own(() => {
      this.#heldMetric.close();
    });
    this.#observer = this.#makeObserver();
    this.#queue = scope.openQueue({
      name,
      reconcile: (key, signal) => this.#reconcile(key, signal),
      concurrency: options.concurrency ?? 4,
    });
    this.#followConsumer();
    this.#followProvider();
    this.#followConnection();
  }

  /** Resolves when its caches are filled. */
  async fill(): Promise<void> {
    await fillInformers([this.#bindings, this.#crds, this.#exports, this.#clusterBindings], this.#scope.signal);
  }

  #makeObserver(): Observer {
    const { connection, policy, schemaPolicy = 'Safe', migratesStoredVersions } = this.#options;
    const { consumer, provider } = this.#ctx.clusters;
    return {
      connection,
      sources: {
        consumer: consumer.client,
        provider: provider.client,
        bindings: this.#bindings,
        crds: this.#crds,
        exports: this.#exports,
        schemas: this.#schemas,
        clusterBindings: this.#clusterBindings,
        requests: () => this.#requests.informer,
      },
      wantedCRDs: new WantedCRDs(policy),
      attempts: this.#attempts,
      schemaPolicy,
      migrates: migratesStoredVersions === true,
      inTurn: createTurns(),
    };
  }

  #followConsumer(): void {
    this.#scope.own(
      this.#bindings.addHandler({
        onAdd: ({ metadata }) => {
          this.#enqueue(metadata.name);
        },
        // A change of status is mostly our own report: it must not end the back-off of what it reports.
        onUpdate: (before, { metadata }) => {
          this.#enqueue(metadata.name, before.metadata.generation !== metadata.generation);
        },
        onDelete: ({ metadata }) => {
          this.#requests.forget(metadata.name);
          // Whoever stood back for it may go ahead.
          this.#enqueueAll();
        },
      }),
    );
    this.#scope.own(
      this.#crds.addHandler({
        onAdd: ({ metadata }) => {
          this.#enqueueResource(metadata.name);
        },
        onUpdate: (before, { metadata }) => {
          this.#enqueueResource(metadata.name, before.metadata.generation !== metadata.generation);
        },
        onDelete: ({ metadata }) => {
          this.#attempts.delete(metadata.name);
          this.#enqueueResource(metadata.name);
        },
      }),
    );
  }

  #followProvider(): void {
    this.#scope.own(
      this.#exports.addHandler({
        onAdd: ({ metadata }) => {
          this.#enqueue(metadata.name);
        },
        onUpdate: (_, { metadata }) => {
          this.#enqueue(metadata.name);
        },
        onDelete: ({ metadata }) => {
          this.#enqueueAll();
          this.#enqueue(metadata.name);
        },
      }),
    );
    this.#scope.own(
      this.#schemas.addHandler({
        onAdd: ({ metadata }) => {
          this.#enqueueResource(metadata.name);
        },
        // Our own reports into its status come back here, too.
        onUpdate: (before, { metadata }) => {
          if (before.metadata.generation !== metadata.generation) this.#enqueueResource(metadata.name);
        },
        onDelete: ({ metadata }) => {
          this.#enqueueResource(metadata.name);
        },
      }),
    );
    this.#scope.own(
      this.#clusterBindings.addHandler({
        onAdd: () => {
          this.#enqueueAll();
        },
        onUpdate: (before, after) => {
          if (before.metadata.generation !== after.metadata.generation) this.#enqueueAll();
        },
        onDelete: () => {
          this.#enqueueAll();
        },
      }),
    );
    this.#scope.own(
      this.#exports.onStateChange(() => {
        this.#enqueueAll();
      }),
    );
    this.#scope.own(
      this.#schemas.onStateChange(() => {
        this.#enqueueAll();
      }),
    );
  }

  #followConnection(): void {
    this.#scope.own(
      this.#options.connection.bindings.onChange((changed, change) => {
        if (change === 'left') this.#options.outcomes?.forget(changed);
        // One that has left, too: what was kept for it goes.
        this.#queue.add(changed, { resetBackoff: true });
      }),
    );
  }

  #serves(binding: string): boolean {
    return this.#options.connection.bindings.has(binding);
  }

  /** `mayCure`: what has changed may be what a failed try has waited for. */
  #enqueue(binding: string, mayCure = true): void {
    if (this.#serves(binding)) this.#queue.add(binding, { resetBackoff: mayCure });
  }

  #enqueueAll(): void {
    for (const binding of this.#options.connection.bindings.names()) this.#enqueue(binding);
  }

  #enqueueResource(resource: string, mayCure = true): void {
    for (const found of this.#exports.list())
      if (exportedResources(found)?.some((entry) => resourceGroupName(entry) === resource) === true)
        this.#enqueue(found.metadata.name, mayCure);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { clock, clusters } = this.#ctx;
    const readings = new Readings();
    for (let round = 1; round <= maxRounds; round++) {
      const binding = this.#serves(key) ? this.#bindings.get(key) : undefined;
      if (binding === undefined) {
        this.#requests.forget(key);
        this.#heldMetric.set(key, []);
        return done;
      }
      const waitMs = this.#budget.waitMs(key, clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      const observed = await observe(
        this.#observer,
        binding,
        readings,
        clock.monotonic(),
        clusters.consumer.client.serverTime?.now() ?? clock.now(),
        signal,
      );
      if (readings.takeReads() === 0) return await this.#settle(key, binding, observed, signal);
    }
    return { kind: 'requeue', afterMs: breathMs };
  }

  async #settle(key: string, binding: APIServiceBinding, observed: Observed, signal: AbortSignal): Promise<Result> {
    const decision = decide(observed);
    switch (decision.kind) {
      case 'leave':
        return done;
      case 'noExport':
        this.#requests.want(key);
        await this.#report(binding, decision.status, concludeWithoutExport(decision.problem), signal);
        return done;
      case 'bind':
        return this.#bind(key, observed, decision, signal);
    }
  }

  async #bind(key: string, { binding, resources }: Observed, decision: Bind, signal: AbortSignal): Promise<Result> {
    const {
      clock,
      logger,
      clusters: { consumer },
    } = this.#ctx;
    const { outcomes, recordsConsent } = this.#options;
    this.#requests.forget(key);
    const actor = {
      consumer: consumer.client,
      crds: this.#crds,
      attempts: this.#attempts,
      now: () => clock.monotonic(),
    };
    if (decision.resources.some(({ kind }) => kind === 'createCRD' || kind === 'updateCRD'))
      this.#budget.spend(key, clock.monotonic());
    const { results, errors } = await act(actor, binding, decision.resources, signal);
    if (outcomes !== undefined) tellOutcomes(outcomes, key, resources, results);
    this.#heldMetric.set(key, results);
    const conditions = concludeBinding(binding, decision, results);
    const current =
      decision.consent === undefined || recordsConsent === false
        ? binding
        : await writeConsent(consumer.client, binding, decision.consent, logger, signal);
    if (current !== binding) this.#bindings.observe(current);
    await this.#report(current, decision.status, conditions, signal);
    if (errors.length > 0) throw errors[0];
    return nextLook(results, this.#schemas.hasSynced);
  }

  async #report(
    binding: APIServiceBinding,
    fields: StatusFields,
    conditions: WantedConditions,
    signal: AbortSignal,
  ): Promise<void> {
    const written = await commit(this.#ctx.clusters.consumer.client, binding, fields, conditions, {
      clock: this.#ctx.clock,
      random: this.#ctx.random,
      signal,
      events: this.#ctx.clusters.consumer.events,
    });
    if (written === undefined) return;
    if (written !== binding) this.#budget.spend(binding.metadata.name, this.#ctx.clock.monotonic());
    this.#bindings.observe(written);
  }
}
