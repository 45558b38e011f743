import { type KubeObject, type OwnerReference, type Resource, isApiError, resourceName } from '@hawser/client';
import { type Controller, type DeletionBudget, type Queue, type Result, createController, createDeletionBudget, done } from '@hawser/controller';
import { canonical } from '@hawser/json';
import { type APIServiceBinding, type APIServiceExport, type CustomResourceDefinition, claimId, commitStatus, consentRecordOf, getCondition, hawserAnnotations, resourceGroupName, resources } from '@hawser/kube-bind';
import { type ProviderConnection, createNamedWatches, readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';
import { type BindingPolicy, type ServiceNamespaceObject, createServiceNamespaces, readBindingPolicy, refusalProblem } from '@hawser/konnector-sync';

import { type AskedClaim, type Claim, type ReadClaims, claimable, readClaims } from './claim.js';
import { type ClaimSync, createClaimSync } from './claim-sync.js';
import { type BindingClaimProblem, CLAIMS_IN_SYNC, claimsInSync } from './claims-in-sync.js';
import type { Decision } from './decision.js';
import { askedResources, createClaimDiscovery } from './discovery.js';
import type { Marks } from './marks.js';
import { type LandingNamespaces, boundResource, createLandingNamespaces, landingsOf } from './landing.js';
import { heldDeletionsProblem } from './missing-originals.js';
import { protectionOf } from './protection.js';

export interface ClaimedResourcesOptions {
  readonly connection: ProviderConnection;
  /** Objects of one resource that are worked on at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** How long problems are gathered before the binding's condition is written. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** How long the provider may take to assign a namespace before that is a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** How many objects may come to the consumer by the claims of one binding. Default 1 000. */
  readonly maxObjects?: number | undefined;
  /** Copies that go in a minute although the deletion of their originals was not seen; of more, none goes before somebody approves it. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** How long such an original must have been missing. Default 60 000 ms. */
  readonly missingGraceMs?: number | undefined;
  /** Which resources can be claimed: those of kube-bind's contract (the default), or any namespaced one that both sides serve. */
  readonly claimable?: 'Contract' | 'Any' | undefined;
  /** How objects say which side they belong to. Default: as in kube-bind. */
  readonly marks?: Marks | undefined;
  /** The claims of a binding that are accepted. Default: those in its status. */
  readonly claimsOf?: ((binding: APIServiceBinding) => readonly AskedClaim[]) | undefined;
  /** How long after a refusal an API server is asked again whether it serves a claimed resource. Default 30 000 ms. */
  readonly discoveryRetryMs?: number | undefined;
}

/** The controller of a connection's claims, and a view of them for `plan` and `why`. */
export interface ClaimedResourcesController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight any more for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
  /** What would be done now for `namespace/name` of the consumer; undefined while no claim is on that resource. Writes nothing. */
  plan(resource: Resource, object: string): Decision | undefined;
}

const NAME = 'claimedresources';
/** All bindings at once: claims of several on one resource are served together. */
const PLAN = 'plan';
/** What was held for want of room is looked at again. */
const ROOM = 'room';
/** Not at each object that goes: a provider can delete and make them as fast as it likes. */
const ROOM_DELAY_MS = 5_000;

/** Those in the status, which another konnector may have widened, as far as the record has them; where there is none yet, the status is it. */
export function acceptedClaims(binding: APIServiceBinding): readonly AskedClaim[] {
  const record = consentRecordOf(binding);
  const claims = binding.status?.permissionClaims ?? [];
  return record === undefined ? claims : claims.filter((claim) => record.has(claimId(claim)));
}

interface Served {
  readonly sync: ClaimSync;
  /** The claims, what pauses them and their policies, to see whether they have changed. */
  claims: string;
  bindings: ReadonlySet<string>;
}

/**
 * Serves the permission claims of the bindings of one connection (`spec/konnector.md §10`): those in the status of each APIServiceBinding, which has only
 * claims that the consumer accepts. Objects that a claim selects are copied from the side that they belong to, to the other; problems are told by
 * Events and the condition `ClaimsInSync`.
 */
export function createClaimedResources(options: ClaimedResourcesOptions): ClaimedResourcesController {
  const served = new Map<string, Served>();
  const { claimsOf = acceptedClaims, discoveryRetryMs = 30_000 } = options;
  let settled = (): Promise<void> => Promise.resolve();
  const controller = createController<'consumer' | 'provider'>(NAME, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace, bindings: ofConnection } = options.connection;
    const exports = scope.informer(provider.informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports, namespace: clusterNamespace }));
    const serviceNamespaces = scope.informer(provider.informers.acquire<ServiceNamespaceObject>({ resource: resources.apiServiceNamespaces, namespace: clusterNamespace }));
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const namespaces = createServiceNamespaces({ client: provider.client, resource: resources.apiServiceNamespaces, clusterNamespace, informer: serviceNamespaces, now: () => ctx.clock.monotonic(), consumerCluster: () => identities?.consumerCluster });
    // For the annotation that pauses the connection. The controllers of ClusterBinding and exports watch them too.
    const secrets = createNamedWatches<KubeObject>(consumer.informers, resources.secrets, () => { look(); });
    scope.own(secrets);
    const discovery = options.claimable === 'Any' ? createClaimDiscovery({ consumer: consumer.client, provider: provider.client }, () => ctx.clock.monotonic(), discoveryRetryMs) : undefined;
    const readings = new Map<string, ReadClaims>();
    /** By binding: why its claims are not served at all. */
    const refusals = new Map<string, BindingClaimProblem>();
    /** By binding: what was said of its claims as a whole last. */
    const told = new Map<string, ReadonlySet<string>>();
    let budget: DeletionBudget | undefined;
    let landings: LandingNamespaces | undefined;
    scope.own(() => { landings?.close(); });
    const crds = createNamedWatches<CustomResourceDefinition>(consumer.informers, resources.customResourceDefinitions, () => { look(); });
    scope.own(crds);
    /** By binding: namespaces that its operator has opened. */
    let opened = new Map<string, readonly string[]>();
    let identities: { readonly clusterNamespaceUid: string; readonly consumerCluster: string } | undefined;
    /** uids of bindings that were there when the identities were read. Others may have come with another cluster. */
    let identified: ReadonlySet<string> = new Set();

    const queue: Queue = scope.openQueue({ name: NAME, concurrency: 1, reconcile: (key, signal) => (key === ROOM ? recheckHeldForRoom() : plan(signal)) });
    const reports: Queue = scope.openQueue({ name: 'claims-in-sync', concurrency: 1, reconcile: (name, signal) => report(name, signal) });
    scope.own(async () => {
      await Promise.all([...served.values()].map(({ sync }) => sync.stop()));
      served.clear();
    });
    settled = async () => {
      await queue.idle();
      await Promise.all([...served.values()].map(({ sync }) => sync.idle()));
    };
    const look = (): void => { queue.add(PLAN); };
    scope.onChange(exports, look);
    scope.onChange(bindings, look);
    scope.own(ofConnection.onChange(look));
    await Promise.all([exports.synced(scope.signal), serviceNamespaces.synced(scope.signal), bindings.synced(scope.signal)]);
    look();

    function recheckHeldForRoom(): Promise<Result> {
      for (const { sync } of served.values()) sync.recheckHeldForRoom();
      return Promise.resolve(done);
    }

    async function plan(signal: AbortSignal): Promise<Result> {
      secrets.want(options.connection.secrets());
      await secrets.settled(signal);
      const wanted = new Map<string, Claim[]>();
      const policies = new Map<string, BindingPolicy>();
      const toServe = ofConnection.names().flatMap((name) => {
        const [binding, apiExport] = [bindings.get(name), exports.get({ namespace: clusterNamespace, name })];
        return binding === undefined || binding.metadata.deletionTimestamp !== undefined || apiExport === undefined ? [] : [{ name, binding, apiExport }];
      });
      const uids = new Set(toServe.map(({ binding }) => binding.metadata.uid ?? ''));
      if (identities !== undefined && [...uids].some((uid) => !identified.has(uid))) await identifyAgain(signal);
      identified = uids;
      await discovery?.learn(askedResources(toServe.flatMap(({ binding }) => claimsOf(binding))), signal);
      if (discovery?.waits === true) queue.addAfter(PLAN, discoveryRetryMs);
      readings.clear();
      refusals.clear();
      for (const { binding } of toServe) approve(binding);
      opened = new Map(toServe.map(({ name, binding }) => [name, landingsOf(binding)]));
      const claiming = toServe.filter(({ binding }) => claimsOf(binding).length > 0);
      crds.want(claiming.length === 0 ? [] : toServe.flatMap(({ apiExport }) => apiExport.spec.resources.map((resource) => ({ name: resourceGroupName(resource) }))));
      await crds.settled(signal);
      for (const { name, binding, apiExport } of toServe) {
        const reading = readClaims(name, claimsOf(binding), apiExport, discovery?.claimable ?? claimable);
        readings.set(name, reading);
        policies.set(name, policyOf(binding));
        for (const claim of reading.claims) wanted.set(resourceName(claim.resource), [...(wanted.get(resourceName(claim.resource)) ?? []), claim]);
      }
      for (const [name, { sync }] of served) {
        if (wanted.has(name)) continue;
        served.delete(name);
        await sync.stop();
      }
      for (const name of ofConnection.names()) reports.addAfter(name, options.reportDelayMs ?? 2_000);
      landings?.set(boundBy(toServe));
      for (const [name, claims] of wanted) {
        const first = claims[0];
        if (first === undefined) continue;
        let one = served.get(name);
        if (one === undefined) {
          const known = await identitiesFor(claims, signal);
          // What is opened from now on nobody would close.
          if (scope.signal.aborted) return done;
          landingNamespaces(known, toServe);
          one = { sync: openSync(known, first.resource), claims: '', bindings: new Set() };
          served.set(name, one);
        }
        const isMeant = ([binding]: readonly [string, unknown]): boolean => claims.some((claim) => claim.binding === binding);
        const meant = new Map([...policies].filter(isMeant));
        const text = JSON.stringify([canonical(claims), [...meant], [...opened].filter(isMeant)]);
        if (text === one.claims) continue;
        one.sync.setClaims(claims, meant);
        one.claims = text;
        one.bindings = new Set(claims.map(({ binding }) => binding));
      }
      return done;
    }

    /** What the consumer has bound by these bindings. */
    function boundBy(toServe: readonly { readonly binding: APIServiceBinding; readonly apiExport: APIServiceExport }[]): readonly Resource[] {
      return toServe.flatMap(({ binding, apiExport }) => apiExport.spec.resources.flatMap((resource) => {
        const reading = crds.read({ name: resourceGroupName(resource) });
        const found = reading.kind === 'found' ? boundResource(reading.object, binding) : undefined;
        return found === undefined ? [] : [found];
      }));
    }

    function landingNamespaces(known: NonNullable<typeof identities>, toServe: Parameters<typeof boundBy>[0]): LandingNamespaces {
      if (landings !== undefined) return landings;
      landings = createLandingNamespaces(consumer.informers, known.clusterNamespaceUid, (namespace) => {
        for (const { sync } of served.values()) sync.recheckNamespaces(namespace);
      });
      landings.set(boundBy(toServe));
      return landings;
    }

    /** One for all bindings of the connection: what a restore loses is lost for all of them. What was held before a restart is held after it. */
    function deletionBudget(): DeletionBudget {
      if (budget !== undefined) return budget;
      const wasHeld = ofConnection.names().some((name) => getCondition(bindings.get(name)?.status?.conditions, CLAIMS_IN_SYNC)?.reason === 'ClaimedDeletionsHeld');
      budget = createDeletionBudget({ clock: ctx.clock, perMinute: options.deletionsPerMinute, held: wasHeld });
      budget.onChange(() => {
        for (const name of ofConnection.names()) reports.addAfter(name, options.reportDelayMs ?? 2_000);
      });
      for (const name of ofConnection.names()) {
        const binding = bindings.get(name);
        if (binding !== undefined) approve(binding);
      }
      return budget;
    }

    function approve({ metadata: { annotations = {} } }: APIServiceBinding): void {
      for (const token of (annotations[hawserAnnotations.approveDeletions] ?? '').split(/[\s,]+/u)) budget?.approve(token);
    }

    function policyOf({ metadata }: APIServiceBinding): BindingPolicy {
      const kubeconfigs = options.connection.secrets().flatMap((ref) => {
        const reading = secrets.read(ref);
        return reading.kind === 'found' ? [reading.object.metadata] : [];
      });
      return readBindingPolicy({ binding: metadata, secrets: kubeconfigs }).policy;
    }

    async function identitiesFor(claims: readonly Claim[], signal: AbortSignal): Promise<NonNullable<typeof identities>> {
      try {
        return (identities ??= await identify(signal));
      } catch (error) {
        if (isApiError(error, 'Forbidden', 'Unauthorized')) {
          const side = error.request.cluster === 'provider' ? 'provider' : 'consumer';
          for (const { binding } of claims) refusals.set(binding, refusalProblem(error, side, { consequence: 'Claims are not served until then.', chart: 'claimedResources' }));
        }
        throw error;
      }
    }

    /** One cluster may have taken the place of another while nobody looked: then nothing that is remembered counts. */
    async function identifyAgain(signal: AbortSignal): Promise<void> {
      const now = await identify(signal);
      if (now.consumerCluster === identities?.consumerCluster && now.clusterNamespaceUid === identities.clusterNamespaceUid) return;
      ctx.logger.info('Claims are served anew: a cluster has been replaced.');
      for (const [name, { sync }] of served) {
        served.delete(name);
        await sync.stop();
      }
      identities = now;
      landings?.close();
      landings = undefined;
    }

    function openSync(known: NonNullable<typeof identities>, resource: Resource): ClaimSync {
      return createClaimSync({
        resource,
        settings: { ...known, clusterNamespace, namespaceGraceMs: options.namespaceGraceMs ?? 30_000, missingGraceMs: options.missingGraceMs, marks: options.marks },
        consumer,
        provider,
        namespaces,
        exportOwner,
        protection: (side, namespace, original) => protectionOf({ bindings: () => bindings.list(), secrets: () => options.connection.secrets() }, resource, side, namespace, original),
        landing: (namespace, of) => (of.some((name) => opened.get(name)?.some((one) => one === '*' || one === namespace) === true) ? 'open' : (landings?.of(namespace) ?? 'unknown')),
        maxObjects: options.maxObjects ?? 1_000,
        copies: (binding) => [...served.values()].reduce((sum, { sync }) => sum + sync.copies(binding), 0),
        deletions: deletionBudget(),
        onRoom: () => { queue.addAfter(ROOM, ROOM_DELAY_MS); },
        concurrency: options.concurrency ?? 4,
        clock: ctx.clock,
        random: ctx.random,
        logger: ctx.logger,
        metrics: ctx.metrics,
        onProblems: () => {
          for (const name of served.get(resourceName(resource))?.bindings ?? []) reports.addAfter(name, options.reportDelayMs ?? 2_000);
        },
        onReplaced: () => {
          identified = new Set();
          look();
        },
      });
    }

    function exportOwner(name: string): OwnerReference | undefined {
      const apiExport = exports.get({ namespace: clusterNamespace, name });
      return apiExport === undefined ? undefined : { apiVersion: apiExport.apiVersion, kind: 'APIServiceExport', name, uid: apiExport.metadata.uid ?? '' };
    }

    /** Who the two sides are: read once, live. */
    async function identify(signal: AbortSignal): Promise<NonNullable<typeof identities>> {
      const [clusterNamespaceUid, consumerCluster] = await Promise.all([
        readProviderIdentity(provider.client, clusterNamespace, signal),
        readConsumerIdentity(consumer.client, signal),
      ]);
      return { clusterNamespaceUid, consumerCluster };
    }

    async function report(name: string, signal: AbortSignal): Promise<Result> {
      const binding = bindings.get(name);
      if (binding === undefined || !ofConnection.has(name)) return done;
      const syncs = [...served.values()].filter((one) => one.bindings.has(name));
      const refusal = refusals.get(name);
      if (served.size > 0 && [...served.values()].every(({ sync }) => sync.surveyed)) budget?.surveyed();
      const held = budget?.held;
      const general: BindingClaimProblem[] = [...(budget === undefined || held === undefined || syncs.length === 0 ? [] : [heldDeletionsProblem(held, budget.perMinute)]), ...(refusal === undefined ? [] : [refusal]), ...(readings.get(name)?.problems ?? []), ...syncs.flatMap(({ sync }) => sync.troubles())];
      const objects = syncs.flatMap(({ sync }) => sync.problems(name));
      const problems = [...general, ...objects];
      // That there is no problem is known only once everything was looked at; until then what was said before stands.
      const isUnserved = syncs.length === 0 && (readings.get(name)?.claims ?? []).length > 0;
      if (problems.length === 0 && (isUnserved || syncs.some(({ sync }) => !sync.surveyed))) return done;
      const before = getCondition(binding.status?.conditions, CLAIMS_IN_SYNC)?.message ?? '';
      const written = await commitStatus<APIServiceBinding>(consumer.client, resources.apiServiceBindings, binding, (status) => claimsInSync(status, problems, ctx.clock.now()), { clock: ctx.clock, random: ctx.random, signal });
      if (written !== undefined) bindings.observe(written);
      // Objects of the consumer have Events of their own.
      // What is the same for several is said once.
      const toTell = [...new Map([...general, ...objects.filter(({ hasEvent }) => !hasEvent)].map((problem) => [problem.message, problem])).values()];
      const toldBefore = told.get(name) ?? new Set<string>();
      told.set(name, new Set(toTell.map(({ message }) => message)));
      const { apiVersion: version, kind, metadata: { uid } } = binding;
      for (const { reason, message } of toTell) {
        if (!toldBefore.has(message) && !before.includes(message.slice(0, 200))) consumer.events.record({ apiVersion: version, kind, name, uid }, { type: 'Warning', reason, message });
      }
      return done;
    }
  });

  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    // Leaving has put the plan into the queue: once it is idle its claims are no longer served.
    released: () => settled(),
    plan: (resource, object) => served.get(resourceName(resource))?.sync.plan(object),
  };
}
