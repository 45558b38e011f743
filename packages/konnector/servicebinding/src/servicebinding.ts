import type { KubeObject } from '@hawser/client';
import { type Controller, type Queue, type Result, WriteBudget, createController, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type ProviderConnection, type SchemaOutcomes, fillInformers } from '@hawser/konnector-connection';
import { type APIServiceBinding, type APIServiceExport, type APIServiceExportRequest, type BoundSchema, type ClusterBinding, conditionTypes, resourceGroupName } from '@hawser/kube-bind';
import { type SchemaPolicy, createTurns } from '@hawser/schemagate';
import { act } from './act.js';
import { consentCondition } from './claim-consent.js';
import { commit } from './commit.js';
import { writeConsent } from './write-consent.js';
import { type WantedConditions, conclude, concludeWithoutExport } from './conclude.js';
import type { CRDPolicy } from './crd-policy.js';
import { type StatusFields, decide, refusalRetryMs } from './decide.js';
import { createHeldMetric, heldCondition } from './held-schemas.js';
import { type Observer, exportedResources, observe } from './observe.js';
import type { Attempt, Observed } from './observed.js';
import { Readings } from './readings.js';
import { namesCondition } from './reserved-names.js';
import { tellOutcomes } from './tell-outcomes.js';
import { type Sources, consumerSpecs, providerSpecs } from './sources.js';
import { WantedCRDs } from './wanted-crds.js';

export interface ServiceBindingOptions {
  readonly connection: ProviderConnection;
  /** What may be installed. Default: nothing in protected groups, and no conversion webhooks. */
  readonly policy?: CRDPolicy | undefined;
  /** What becomes of changed schemas where the binding's annotation `hawser.dev/schema-update` does not say. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /**
   * Somebody has objects stored anew when the storage version of a CRD moves (`@hawser/storedversions`): a version that the provider drops stays in the CRD until no object is stored in it.
   * Default: no, so that the API server refuses such a change.
   */
  readonly migratesStoredVersions?: boolean | undefined;
  /** Write down on the binding to which claims somebody has agreed. Default true; false where the dialect's bindings say so themselves. */
  readonly recordsConsent?: boolean | undefined;
  /** Told what has become of each schema. Default: nobody. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Bindings that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const name = 'servicebinding';

/** Without a watch on BoundSchemas, this often the bindings look whether one has changed. */
const pollMs = 60_000;
/** Stored objects are read in the first, and once more for each change of the schema, or of what the binding says of it, meanwhile. */
const maxRounds = 5;
/** After that many. */
const breathMs = 1_000;

/**
 * Binds the exports of one provider (spec/konnector.md §7.4): installs a CRD on the consumer for each exported resource and keeps it in step,
 * and reports `Connected`, `SchemaInSync`, `Ready`, the schemas, the claims and the provider's name on each APIServiceBinding.
 *
 * A CRD that is not owned by the binding is never written. Nothing is written when nothing differs.
 */
export function createServiceBinding(options: ServiceBindingOptions): Controller<'consumer' | 'provider'> {
  const { connection } = options;
  return createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const provided = providerSpecs(connection);
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>(consumerSpecs.bindings));
    const crds = scope.informer(consumer.informers.acquire<KubeObject>(consumerSpecs.crds));
    const exports = scope.informer(provider.informers.acquire<APIServiceExport>(provided.exports));
    const schemas = scope.informer(provider.informers.acquire<BoundSchema>(provided.schemas));
    const clusterBindings = scope.informer(provider.informers.acquire<ClusterBinding>(provided.clusterBindings));
    const requests = createRequests(() => provider.informers.acquire<APIServiceExportRequest>(provided.requests), (changed) => { enqueue(changed); });
    scope.own(() => { requests.close(); });

    const heldMetric = createHeldMetric(ctx.metrics);
    scope.own(() => { heldMetric.close(); });
    const attempts = new Map<string, Attempt>();
    /** What a provider can make us write, by changing its schemas, its exports or its name. */
    const budget = new WriteBudget();
    const sources: Sources = { consumer: consumer.client, provider: provider.client, bindings, crds, exports, schemas, clusterBindings, requests: requests.get };
    const observer: Observer = { connection, sources, wantedCRDs: new WantedCRDs(options.policy), attempts, schemaPolicy: options.schemaPolicy ?? 'Safe', migrates: options.migratesStoredVersions === true, inTurn: createTurns() };
    const queue: Queue = scope.openQueue({ name, reconcile, concurrency: options.concurrency ?? 4 });

    const serves = (binding: string): boolean => connection.bindings.has(binding);

    scope.own(bindings.addHandler({
      onAdd: ({ metadata }) => { enqueue(metadata.name); },
      // A change of status is mostly our own report: it must not end the back-off of what it reports.
      onUpdate: (before, { metadata }) => { enqueue(metadata.name, before.metadata.generation !== metadata.generation); },
      onDelete: ({ metadata }) => {
        requests.forget(metadata.name);
        // Whoever stood back for it may go ahead.
        enqueueAll();
      },
    }));
    scope.own(crds.addHandler({
      onAdd: ({ metadata }) => { enqueueResource(metadata.name); },
      onUpdate: (before, { metadata }) => { enqueueResource(metadata.name, before.metadata.generation !== metadata.generation); },
      onDelete: ({ metadata }) => {
        attempts.delete(metadata.name);
        enqueueResource(metadata.name);
      },
    }));
    scope.own(exports.addHandler({
      onAdd: ({ metadata }) => { enqueue(metadata.name); },
      onUpdate: (_, { metadata }) => { enqueue(metadata.name); },
      onDelete: ({ metadata }) => { enqueueAll(); enqueue(metadata.name); },
    }));
    scope.own(schemas.addHandler({
      onAdd: ({ metadata }) => { enqueueResource(metadata.name); },
      // Our own reports into its status come back here, too.
      onUpdate: (before, { metadata }) => { if (before.metadata.generation !== metadata.generation) enqueueResource(metadata.name); },
      onDelete: ({ metadata }) => { enqueueResource(metadata.name); },
    }));
    scope.own(clusterBindings.addHandler({
      onAdd: enqueueAll,
      onUpdate: (before, after) => { if (before.metadata.generation !== after.metadata.generation) enqueueAll(); },
      onDelete: enqueueAll,
    }));
    scope.own(exports.onStateChange(() => { enqueueAll(); }));
    scope.own(schemas.onStateChange(() => { enqueueAll(); }));
    scope.own(connection.bindings.onChange((changed, change) => {
      if (change === 'left') options.outcomes?.forget(changed);
      // One that has left, too: what was kept for it goes.
      queue.add(changed, { resetBackoff: true });
    }));
    await fillInformers([bindings, crds, exports, clusterBindings], scope.signal);

    /** `mayCure`: what has changed may be what a failed try has waited for. */
    function enqueue(binding: string, mayCure = true): void {
      if (serves(binding)) queue.add(binding, { resetBackoff: mayCure });
    }

    function enqueueAll(): void {
      for (const binding of connection.bindings.names()) enqueue(binding);
    }

    function enqueueResource(resource: string, mayCure = true): void {
      for (const found of exports.list()) if (exportedResources(found)?.some((entry) => resourceGroupName(entry) === resource) === true) enqueue(found.metadata.name, mayCure);
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const readings = new Readings();
      for (let round = 1; round <= maxRounds; round++) {
        const binding = serves(key) ? bindings.get(key) : undefined;
        if (binding === undefined) {
          requests.forget(key);
          heldMetric.set(key, []);
          return done;
        }
        const waitMs = budget.waitMs(key, ctx.clock.monotonic());
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
        const observed = await observe(observer, binding, readings, ctx.clock.monotonic(), consumer.client.serverTime?.now() ?? ctx.clock.now(), signal);
        if (readings.takeReads() === 0) return await settle(key, binding, observed, signal);
      }
      return { kind: 'requeue', afterMs: breathMs };
    }

    async function settle(key: string, binding: APIServiceBinding, observed: Observed, signal: AbortSignal): Promise<Result> {
      const decision = decide(observed);
      switch (decision.kind) {
        case 'leave':
          return done;
        case 'noExport':
          requests.want(key);
          await report(binding, decision.status, concludeWithoutExport(decision.problem), signal);
          return done;
        case 'bind': {
          requests.forget(key);
          const actor = { consumer: consumer.client, crds, attempts, now: () => ctx.clock.monotonic() };
          if (decision.resources.some(({ kind }) => kind === 'createCRD' || kind === 'updateCRD')) budget.spend(key, ctx.clock.monotonic());
          const { results, errors } = await act(actor, binding, decision.resources, signal);
          if (options.outcomes !== undefined) tellOutcomes(options.outcomes, key, observed.resources, results);
          const concluded = conclude(results, decision.serving);
          const held = heldCondition(binding, results);
          heldMetric.set(key, results);
          const further = [consentCondition(binding, decision.heldClaims), namesCondition(binding, decision.resources), held].filter((condition) => condition !== undefined);
          const remove = [...concluded.remove, ...(held === undefined ? [conditionTypes.schemaUpdateHeld] : [])];
          const current = decision.consent === undefined || options.recordsConsent === false ? binding : await writeConsent(consumer.client, binding, decision.consent, ctx.logger, signal);
          if (current !== binding) bindings.observe(current);
          await report(current, decision.status, { set: [...concluded.set, ...further], remove }, signal);
          if (errors.length > 0) throw errors[0];
          if (!schemas.hasSynced) return { kind: 'requeue', afterMs: pollMs, priority: 'background' };
          return results.some((result) => result.kind !== 'inStep') ? { kind: 'requeue', afterMs: refusalRetryMs, priority: 'background' } : done;
        }
      }
    }

    async function report(binding: APIServiceBinding, fields: StatusFields, conditions: WantedConditions, signal: AbortSignal): Promise<void> {
      const written = await commit(consumer.client, binding, fields, conditions, { clock: ctx.clock, random: ctx.random, signal, events: consumer.events });
      if (written === undefined) return;
      if (written !== binding) budget.spend(binding.metadata.name, ctx.clock.monotonic());
      bindings.observe(written);
    }
  });
}

/** The export requests, watched only while some binding has no export: they tell why. */
function createRequests(acquire: () => InformerHandle<APIServiceExportRequest>, changed: (name: string) => void): {
  readonly get: () => InformerHandle<APIServiceExportRequest> | undefined;
  readonly want: (binding: string) => void;
  readonly forget: (binding: string) => void;
  readonly close: () => void;
} {
  const waiting = new Set<string>();
  let informer: InformerHandle<APIServiceExportRequest> | undefined;
  const close = (): void => {
    waiting.clear();
    informer?.release();
    informer = undefined;
  };
  return {
    get: () => informer,
    want(binding) {
      waiting.add(binding);
      if (informer !== undefined) return;
      informer = acquire();
      informer.addHandler({
        onAdd: ({ metadata }) => { changed(metadata.name); },
        onUpdate: (_, { metadata }) => { changed(metadata.name); },
        onDelete: ({ metadata }) => { changed(metadata.name); },
      });
    },
    forget(binding) {
      if (waiting.delete(binding) && waiting.size === 0) close();
    },
    close,
  };
}
