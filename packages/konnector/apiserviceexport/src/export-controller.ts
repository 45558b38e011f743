import { type OwnerReference, getIfExists, messageOf } from '@hawser/client';
import { type Controller, type ControllerContext, type Queue, type Result, createController, done } from '@hawser/controller';
import { ChangedShapes } from '@hawser/informer';
import { type APIServiceBinding, type APIServiceExport, type BoundSchema, type CustomResourceDefinition, type Dialect, type Secret, commitStatus, getCondition, resources, servedResource } from '@hawser/kube-bind';
import { type ProviderConnection, type SchemaOutcomes, createNamedWatches, readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';
import { type ServiceNamespaceObject, type WriterShares, createDeletionProver, createServiceNamespaces, createSync, createWriterShares, type Sync } from '@hawser/konnector-sync';
import type { DeadLetter } from '@hawser/pair';

import { type OrphanOptions, createBindingPolicies } from './binding-policies.js';
import { createBindingReports } from './binding-reports.js';
import { heldSchemaOf } from './held-schema.js';
import { type ResourceProblem, OBJECTS_IN_SYNC, objectsInSync, resourceProblemText } from './objects-in-sync.js';
import { type ExportSnapshot, type ResourceSnapshot, type SyncConfig, type SyncPlan, planSyncs, resourceNames } from './plan-syncs.js';
import { policyConditions, policyEvents } from './policy-conditions.js';
import { createProviderReports } from './provider-reports.js';
import { ProviderScopes } from './provider-scope.js';
import { type RunningSync, type SyncSet, createSyncSet } from './sync-set.js';

export interface APIServiceExportOptions {
  readonly connection: ProviderConnection;
  /** Of both sides. */
  readonly dialect: Dialect;
  /** Whether objects that were made on the provider, in a place of this consumer, come to the consumer. Default false. */
  readonly adoptsFromProvider?: boolean | undefined;
  /** Objects of one resource that are written at the same time. */
  readonly concurrency?: number | undefined;
  /** What has become of the schemas, as whoever installs CRDs tells it. Default: not known, and not reported. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Of all exports of all connections of this process. Default: of this connection's. */
  readonly writers?: WriterShares | undefined;
  /** How long problems of objects are gathered before the binding's condition is written. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** How long the provider may take to assign a namespace before that is a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** When to look again at a resource that has no place for copies on the provider: the first time; then ever less often. Default 15 000 ms. */
  readonly placeRetryMs?: number | undefined;
  /** For all bindings; what else an operator may ask for stands in annotations of the binding. */
  readonly orphans?: OrphanOptions | undefined;
  /** How often the same field of a copy is put back within a minute before it counts as contested. Default 5. */
  readonly contestedAfter?: number | undefined;
}

/** An object whose writes keep being refused, and where it belongs. */
export interface ParkedObject extends DeadLetter {
  readonly binding: string;
  /** `databases.example.com`. */
  readonly resource: string;
}

/** The controller of a connection's exports, and a view of its syncs for `why`, `plan` and health. */
export interface APIServiceExportController extends Controller<'consumer' | 'provider'> {
  syncs(): readonly (RunningSync & { readonly export: string })[];
  /** The objects of all bindings whose writes keep being refused, with reason, who must act, since when, and when they are tried again. */
  deadLetters(): readonly ParkedObject[];
  /** Resolves when nothing is in flight any more for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
}

const NAME = 'apiserviceexport';
const PLACE_RETRY_MS = 15_000;
const PLACE_RETRY_CAP_MS = 600_000;
/** The condition's message may be cut: this much of a text tells it from others. */
const KNOWN_BY = 200;

/**
 * Runs one sync per resource of each APIServiceExport that this connection's bindings bind, and reports the consumer's state back to the
 * provider: `Connected` and `ConsumerInSync` on the export, the CRD's conditions and stored versions on each BoundSchema
 * (`spec/konnector.md §7.5`).
 *
 * A sync runs only where this connection serves the binding and the binding owns the CRD. A BoundSchema that cannot be read leaves its sync running.
 */
export function createAPIServiceExport(options: APIServiceExportOptions): APIServiceExportController {
  const { dialect } = options;
  const sets = new Map<string, SyncSet>();
  let settled = (): Promise<void> => Promise.resolve();
  const controller = createController<'consumer' | 'provider'>(NAME, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace: namespace, bindings: served } = options.connection;
    const exports = scope.informer(provider.informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports, namespace }));
    const schemas = scope.informer(provider.informers.acquire<BoundSchema>({ resource: resources.boundSchemas, namespace }));
    const serviceNamespaces = scope.informer(provider.informers.acquire<ServiceNamespaceObject>({ resource: resources.apiServiceNamespaces, namespace }));
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    // Only the CRDs of exported resources: a cluster may have hundreds of large ones.
    const crds = createNamedWatches<CustomResourceDefinition>(consumer.informers, resources.customResourceDefinitions, ({ name }) => { resourceChanged(name); });
    scope.own(crds);
    // For the annotation that pauses the connection. The controller of the ClusterBinding watches them too.
    const secrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, () => {
      for (const name of served.names()) queue.add(name);
    });
    scope.own(secrets);
    const policies = createBindingPolicies({
      orphans: options.orphans,
      clock: ctx.clock,
      metrics: ctx.metrics,
      secrets: () => options.connection.secrets().flatMap((ref) => {
        const reading = secrets.read(ref);
        return reading.kind === 'found' ? [reading.object] : [];
      }),
      changed: (name) => { reports.request(name); },
    });
    scope.own(() => { policies.close(); });
    /** By export: the changes of schemas that were held when it was looked at last, as text. */
    const held = new Map<string, string>();
    /** By binding: the policy that was reported last, as text. */
    const reported = new Map<string, string>();

    const namespaces = createServiceNamespaces({ client: provider.client, resource: resources.apiServiceNamespaces, clusterNamespace: namespace, informer: serviceNamespaces, now: () => ctx.clock.monotonic(), consumerCluster: () => identities.known().consumerCluster });
    const scopes = new ProviderScopes(provider.client);
    const writers = options.writers ?? createWriterShares(ctx.clock);
    /** By binding: what was said of its resources last. */
    const told = new Map<string, ReadonlySet<string>>();
    /** What keeps whole resources of an export from being synced, and since when there is no place for copies. */
    const blocked = new Map<string, { readonly problems: readonly ResourceProblem[]; readonly since: number | undefined }>();
    const shapes = new ChangedShapes(ctx.clock);
    const identities = createIdentities(ctx, namespace);
    const toProvider = createProviderReports({ ctx, namespace, exports, schemas, bindings, served, outcomes: options.outcomes });
    // A connection ends with its last binding: what is not said by then is said now. After the last look, which may still find the binding; before the caches end.
    scope.own(() => toProvider.tellDepartures());
    const queue: Queue = scope.openQueue({ name: NAME, concurrency: 4, reconcile });
    settled = () => queue.idle();
    const reports = createBindingReports(options.reportDelayMs ?? 2_000, ctx, (name) => reportObjects(name));
    scope.own(() => reports.close());
    scope.own(async () => {
      await Promise.all([...sets.values()].map((set) => set.stop()));
      sets.clear();
    });

    scope.onChange(exports, ({ metadata }) => { queue.add(metadata.name); });
    scope.onChange(schemas, ({ metadata }) => { resourceChanged(metadata.name); });
    scope.onChange(bindings, ({ metadata }) => { queue.add(metadata.name); });
    scope.own(served.onChange((name, change) => {
      toProvider.served(name, change);
      queue.add(name);
    }));
    if (options.outcomes !== undefined) scope.own(options.outcomes.onChange((name) => { queue.add(name); }));
    await Promise.all([exports.synced(scope.signal), serviceNamespaces.synced(scope.signal), bindings.synced(scope.signal)]);

    function resourceChanged(name: string): void {
      for (const apiExport of exports.list()) if (resourceNames(apiExport).includes(name)) queue.add(apiExport.metadata.name);
    }

    async function reconcile(name: string, signal: AbortSignal): Promise<Result> {
      const apiExport = exports.get({ namespace, name });
      if (apiExport === undefined) {
        await sets.get(name)?.stop();
        sets.delete(name);
        blocked.delete(name);
        told.delete(name);
        policies.forget(name);
        shapes.forget(name);
        held.delete(name);
        reported.delete(name);
        return done;
      }
      const snapshot = await observe(apiExport, signal);
      await identities.resolve(signal);
      let set = sets.get(name);
      if (set === undefined) {
        set = createSyncSet((config) => startSync(config), ctx.logger.child({ export: name }), scope.signal);
        sets.set(name, set);
      }
      const plans = planSyncs(snapshot);
      await set.apply(plans);
      if (snapshot.binding !== undefined) follow(snapshot.binding, set);
      followHolds(snapshot, set);
      const retriesMs = [block(name, plans), reread(snapshot, set)].filter((ms) => ms !== undefined);
      const waitMs = await toProvider.report(snapshot, noPlaceText(name), signal);
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      return retriesMs.length === 0 ? done : { kind: 'requeue', afterMs: Math.min(...retriesMs), priority: 'background' };
    }

    /** Has objects of a resource listed again some time after its schema has changed. Returns when to come back for that. */
    function reread(snapshot: ExportSnapshot, set: SyncSet): number | undefined {
      const { due, againInMs } = shapes.look(snapshot.export.metadata.name, snapshot.resources.map(({ name, crd, schema }) => {
        const onProvider = schema.kind === 'found' ? schema.schema.metadata.generation : undefined;
        return { name, shape: crd?.metadata.generation === undefined || onProvider === undefined ? undefined : `${crd.metadata.generation}/${onProvider}` };
      }));
      for (const { config, sync } of set.all()) if (due.includes(config.crdName)) sync.relist();
      return againInMs;
    }

    /** Hands what the binding says now to syncs that run already. */
    function follow(binding: APIServiceBinding, set: SyncSet): void {
      const { name } = binding.metadata;
      const reading = policies.read(binding);
      for (const { sync } of set.all()) sync.use(reading.policy);
      policies.approve(binding);
      const text = JSON.stringify(reading);
      if (reported.get(name) !== text) reports.request(name);
      reported.set(name, text);
    }

    /** Looks again at objects that the provider's schema refuses, when another change of it is held, or none any more: what was said of them is not true then. */
    function followHolds({ export: apiExport, binding }: ExportSnapshot, set: SyncSet): void {
      const { name } = apiExport.metadata;
      const now = JSON.stringify(set.all().map(({ config }) => heldSchemaOf(config.crdName, apiExport, binding) ?? null));
      const before = held.get(name);
      held.set(name, now);
      if (before === undefined || before === now) return;
      for (const { sync } of set.all()) if (sync.problems().some(({ reason }) => reason === 'RejectedByProvider' || reason === 'SchemaChangeHeld')) sync.recheck();
    }

    /** Notes what the plans say nobody can sync, and has it reported if that is news. Returns when to look again although nothing happens. */
    function block(name: string, plans: readonly SyncPlan[]): number | undefined {
      const before = blocked.get(name);
      const problems = plans.flatMap((plan): ResourceProblem[] => (plan.kind === 'stop' && plan.actor !== undefined ? [{ resource: plan.name, reason: plan.reason, message: plan.message, actor: plan.actor }] : []));
      if (resourceTexts(problems) !== resourceTexts(before?.problems ?? [])) reports.request(name);
      const misplaced = problems.filter(({ reason }) => reason === 'NoPlaceForCopies');
      // Nothing tells when the provider's CRD changes.
      for (const { resource } of misplaced) scopes.forget(resource);
      const now = ctx.clock.monotonic();
      const since = misplaced.length === 0 ? undefined : (before?.since ?? now);
      blocked.set(name, { problems, since });
      // As long again as it has lasted: events in between do not put the next look off.
      return since === undefined ? undefined : Math.min(PLACE_RETRY_CAP_MS, Math.max(options.placeRetryMs ?? PLACE_RETRY_MS, now - since));
    }

    function noPlaceText(name: string): string | undefined {
      const misplaced = (blocked.get(name)?.problems ?? []).filter(({ reason }) => reason === 'NoPlaceForCopies');
      return misplaced.length === 0 ? undefined : misplaced.map(({ resource, message }) => `${resource}: ${message}`).join(' ');
    }

    async function observe(apiExport: APIServiceExport, signal: AbortSignal): Promise<ExportSnapshot> {
      const name = apiExport.metadata.name;
      const binding = served.has(name) ? bindings.get(name) : undefined;
      const names = resourceNames(apiExport);
      crds.want(exports.list().flatMap(resourceNames).map((crd) => ({ name: crd })));
      secrets.want(options.connection.secrets());
      await Promise.all([crds.settled(signal), secrets.settled(signal)]);
      const crdOf = (resource: string): CustomResourceDefinition | undefined => {
        const reading = crds.read({ name: resource });
        return reading.kind === 'found' ? reading.object : undefined;
      };
      return { export: apiExport, binding, resources: await Promise.all(names.map(async (resource): Promise<ResourceSnapshot> => ({ name: resource, ...(await readResource(resource, crdOf(resource), binding !== undefined, signal)) }))) };
    }

    /** The provider's scope matters only where a sync may run. */
    async function readResource(name: string, crd: CustomResourceDefinition | undefined, bound: boolean, signal: AbortSignal): Promise<Omit<ResourceSnapshot, 'name'>> {
      const schema = await readSchema(name, signal);
      const spec = schema.kind === 'found' ? schema.schema.spec : undefined;
      const served = spec === undefined ? undefined : servedResource(spec);
      const providerScope = bound && crd !== undefined && served !== undefined ? await scopes.of(name, served, signal) : 'unknown';
      return { schema, crd, providerScope };
    }

    /** From the cache where the provider lets us watch, else live. */
    async function readSchema(name: string, signal: AbortSignal): Promise<ResourceSnapshot['schema']> {
      const key = { namespace, name };
      try {
        const schema = schemas.hasSynced ? schemas.get(key) : await getIfExists<BoundSchema>(provider.client, resources.boundSchemas, key, { signal });
        return schema === undefined ? { kind: 'missing' } : { kind: 'found', schema };
      } catch (error) {
        return { kind: 'unreadable', message: messageOf(error) };
      }
    }

    function startSync(config: SyncConfig): Sync {
      const serving = bindings.get(config.bindingName);
      const made = Date.parse(serving?.metadata.creationTimestamp ?? '');
      const identity = identities.known();
      const exportOwner: OwnerReference = { apiVersion: dialect.apiVersion, kind: 'APIServiceExport', name: config.exportName, uid: config.exportUid };
      const binding = { apiVersion: dialect.apiVersion, name: config.bindingName, uid: config.bindingUid };
      const prover = createDeletionProver({
        consumer: consumer.client,
        bindings: resources.apiServiceBindings,
        customResourceDefinitions: resources.customResourceDefinitions,
        binding,
        crdName: config.crdName,
      });
      return createSync({
        name: config.bindingName,
        resource: { group: config.group, version: config.version, resource: config.plural },
        settings: {
          dialect,
          binding: config.bindingName,
          adoptsFromProvider: options.adoptsFromProvider,
          isolation: config.isolation,
          clusterNamespace: namespace,
          clusterNamespaceUid: identity.clusterNamespaceUid,
          consumerCluster: identity.consumerCluster,
          statusSubresource: config.statusSubresource,
          namespaceGraceMs: options.namespaceGraceMs,
          policy: serving === undefined ? undefined : policies.read(serving).policy,
          boundSince: Number.isNaN(made) ? undefined : made,
          orphanGraceMs: policies.orphans.graceMs,
          contestedAfter: options.contestedAfter,
        },
        heldSchema: () => heldSchemaOf(config.crdName, exports.get({ namespace, name: config.exportName }), bindings.get(config.bindingName)),
        deletions: serving === undefined ? undefined : policies.budget(serving),
        informerScope: config.informerScope,
        consumer,
        provider,
        namespaces,
        exportOwner,
        prove: () => prover.prove(),
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        writers,
        clock: ctx.clock,
        random: ctx.random,
        logger: ctx.logger,
        metrics: ctx.metrics,
        onProblems: () => { problemsChanged(config); },
      });
    }

    function problemsChanged({ bindingName, exportName, crdName }: SyncConfig): void {
      reports.request(bindingName);
      const sync = sets.get(exportName)?.all().find(({ config }) => config.crdName === crdName)?.sync;
      // As when the provider has replaced its CRD by one of another scope: what was known of it may be wrong.
      if (sync?.troubles().some(({ reason }) => reason === 'NotServedByProvider') !== true && sync?.problems().some(({ reason }) => reason === 'FailedOnProvider') !== true) return;
      scopes.forget(crdName);
      queue.add(exportName);
    }

    async function reportObjects(name: string): Promise<void> {
      const binding = bindings.get(name);
      if (binding === undefined || !served.has(name)) return;
      const running = sets.get(name)?.all() ?? [];
      const objects = running.flatMap(({ sync }) => sync.problems());
      const ofResources = [...(blocked.get(name)?.problems ?? []), ...running.flatMap(({ sync, config }) => sync.troubles().map((trouble): ResourceProblem => ({ ...trouble, resource: config.crdName })))];
      const surveyed = running.length > 0 && running.every(({ sync }) => sync.surveyed);
      const budget = policies.budget(binding);
      if (surveyed) budget.surveyed();
      const facts = { reading: policies.read(binding), held: budget.held, perMinute: budget.perMinute, heldKnown: surveyed };
      const problems = { objects, resources: ofResources };
      // That there is no problem is known only once everything was looked at; until then what was said before stands.
      const known = objects.length > 0 || ofResources.length > 0 || surveyed;
      const before = getCondition(binding.status?.conditions, OBJECTS_IN_SYNC)?.message ?? '';
      const written = await commitStatus<APIServiceBinding>(consumer.client, resources.apiServiceBindings, binding, (status) => {
        const now = ctx.clock.now();
        return policyConditions(known ? objectsInSync(status, problems, now) : status, facts, now);
      }, { clock: ctx.clock, random: ctx.random, signal: scope.signal });
      const { apiVersion: version, kind, metadata: { uid } } = binding;
      for (const event of policyEvents(binding.status, written?.status)) consumer.events.record({ apiVersion: version, kind, name, uid }, { type: 'Warning', ...event });
      if (!known) return;
      const toldBefore = told.get(name) ?? new Set<string>();
      told.set(name, new Set(ofResources.map(resourceProblemText)));
      for (const problem of ofResources) {
        const text = resourceProblemText(problem);
        // Objects have Events of their own; a resource has only its binding.
        if (!toldBefore.has(text) && !before.includes(text.slice(0, KNOWN_BY))) consumer.events.record({ apiVersion: version, kind, name, uid }, { type: 'Warning', reason: problem.reason, message: text });
      }
    }
  });

  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    async released(binding) {
      // Leaving has put the export's key into the queue: once the queue is idle its syncs are stopped.
      await settled();
      await sets.get(binding)?.stop();
    },
    deadLetters: () => [...sets.values()].flatMap((set) => set.all().flatMap(({ sync, config }) => sync.deadLetters().map((letter) => ({ ...letter, binding: config.bindingName, resource: config.crdName })))),
    syncs: () => [...sets].flatMap(([name, set]) => set.all().map((running) => ({ ...running, export: name }))),
  };
}

function resourceTexts(problems: readonly ResourceProblem[]): string {
  return problems.map(resourceProblemText).join('\n');
}

interface Identities {
  readonly clusterNamespaceUid: string;
  readonly consumerCluster: string;
}

/** Who the two sides are: read once, live. */
function createIdentities(ctx: ControllerContext<'consumer' | 'provider'>, clusterNamespace: string): { resolve(signal: AbortSignal): Promise<void>; known(): Identities } {
  let identities: Identities | undefined;
  return {
    async resolve(signal) {
      if (identities !== undefined) return;
      const [clusterNamespaceUid, consumerCluster] = await Promise.all([
        readProviderIdentity(ctx.clusters.provider.client, clusterNamespace, signal),
        readConsumerIdentity(ctx.clusters.consumer.client, signal),
      ]);
      identities = { clusterNamespaceUid, consumerCluster };
    },
    known() {
      if (identities === undefined) throw new Error('identities are resolved before syncs start');
      return identities;
    },
  };
}
