import { getIfExists, isApiError, type KubeObject, objectKey, isTerminating } from '@hawser/client';
import { type Controller, type Result, createController, done } from '@hawser/controller';
import type { APIServiceExportTemplate as InlineTemplate } from '@hawser/klutch';
import {
  type APIServiceNamespace, type ClusterBinding, commitStatus, controllerName, type CustomResourceDefinition, type Dialect, finalizers, getCondition, kubeBindDialect, labels, releasedBecause, resourceGroupName,
  resources, conditionTypes, type WithdrawnObjectsPolicy, withdrawnObjectsPolicyOf,
} from '@hawser/kube-bind';
import { belongingOf, ownerOf, type Place, placesOf } from './belonging.js';
import { type Cleaned, createCleaner } from './cleaning.js';
import type { Copy } from './copies.js';
import { endedResources, type ExportObject, hasEnded, resourcesOf } from './export-object.js';
import { createLeftCounts, type Left, mostExamples } from './left.js';
import { type ExportOutcome, heldCondition, leftCondition, withExportOutcome, withLeft } from './outcome.js';

export interface WithdrawnObjectsOptions {
  /** Whose exports. Default: kube-bind's. */
  readonly dialect?: Dialect | undefined;
  /** What becomes of the copies of an export that ends where its annotation does not say it. Default `Keep`. */
  readonly policy?: WithdrawnObjectsPolicy | undefined;
  /** How long an export has to have ended before a copy is deleted, in milliseconds. Default 1 min. */
  readonly graceMs?: number | undefined;
  /** Copies of one export that may be deleted within a minute; where there are more, none is deleted before they are approved. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** How often what is left is counted again, in milliseconds. Default 10 min. */
  readonly recheckMs?: number | undefined;
  /** How soon it is looked whether copies that were deleted are gone, in milliseconds. Default 5 s. */
  readonly goneCheckMs?: number | undefined;
  /** Consumers that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const fieldManager = 'hawser-withdrawnobjects';
const finalizer = finalizers.withdrawnObjects;
const nothingToSay: Omit<ExportOutcome, 'unknownPolicy' | 'perMinute'> = { held: undefined, unproven: [], refused: undefined };

/**
 * Sees to the copies that are on the provider when an export has ended: withdrawn, since its consumer has unbound it or given up its request, or deleted.
 *
 * Under `Keep` nothing is deleted, and the condition `ObjectsLeft` of the ClusterBinding says what there is. Under `Delete` copies go that are proven to be of exactly that consumer, within a budget;
 * a finalizer keeps an export that is deleted until they are gone. Of exports that went without that finalizer nothing is ever deleted. Claimed objects and namespaces are never touched.
 */
export function createWithdrawnObjectsController(options: WithdrawnObjectsOptions = {}): Controller<'provider'> {
  const { dialect = kubeBindDialect, policy: provider = 'Keep', graceMs = 60_000, deletionsPerMinute, recheckMs = 600_000, goneCheckMs = 5_000, concurrency = 4 } = options;
  const name = controllerName('withdrawnobjects', dialect);
  const byConsumer = `${name}/consumer`;
  const kinds = dialect.resources;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const { clock, random } = ctx;
    const exports = scope.informer(informers.acquire<ExportObject>({ resource: kinds.apiServiceExports }));
    const clusterBindings = scope.informer(informers.acquire<ClusterBinding>({ resource: kinds.clusterBindings }));
    const serviceNamespaces = scope.informer(informers.acquire<APIServiceNamespace>({ resource: kinds.apiServiceNamespaces }));
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const offered = offers();
    namespaces.addIndex(byConsumer, ({ metadata }) => [ownerOf(dialect, metadata.annotations)?.split('/', 1)[0]].filter((one) => one !== undefined));
    const cleaner = createCleaner({ client, clock, dialect, provider, graceMs, deletionsPerMinute });
    const counts = createLeftCounts({ client, clock, freshMs: recheckMs * 0.7, whose });
    const gauge = ctx.metrics.gauge({ name: 'hawser_provider_withdrawn_objects', help: 'Copies of consumers that are left of exports that have ended.', labels: ['dialect'] });
    const deletions = ctx.metrics.counter({ name: 'hawser_provider_withdrawn_objects_deleted_total', help: 'Copies that were deleted because their export had ended.', labels: ['dialect'] });
    const totals = new Map<string, number>();
    const queue = scope.openQueue({ name, concurrency, reconcile });

    const changed = ({ metadata: { namespace = '' } }: KubeObject): void => { queue.add(namespace); };
    scope.onChange(exports, changed);
    scope.own(exports.addHandler({
      onUpdate: (before, after) => { if (hasEnded(before) !== hasEnded(after)) recount(after); },
      onDelete(last) {
        recount(last);
        cleaner.forget(last.metadata.uid);
      },
    }));
    // A consumer whose export went while nobody looked. Its heartbeats say nothing about that.
    scope.own(clusterBindings.addHandler({ onAdd: ({ metadata: { namespace = '' } }) => { queue.add(namespace, { priority: 'background' }); } }));
    await scope.synced();

    async function reconcile(clusterNamespace: string, signal: AbortSignal): Promise<Result> {
      const own = exports.list(clusterNamespace);
      const namespace = namespaces.get(clusterNamespace);
      if (namespace === undefined || isTerminating(namespace)) {
        // Everything in it goes, and nobody has said that of the copies.
        for (const one of own) if (isTerminating(one)) await setFinalizer(one, false, signal);
        tally(clusterNamespace, 0);
        return done;
      }
      const ended = endedResources(own, offered.names());
      const left = new Map<string, Left>();
      const lookAgain: number[] = [];
      for (const one of own) {
        const result = await settle(one, [...ended].flatMap(([resource, of]) => (of === one ? [resource] : [])), signal);
        for (const [resource, some] of result.left) left.set(resource, some);
        if (result.againMs !== undefined) lookAgain.push(result.againMs);
      }
      for (const resource of ended.keys()) {
        if (left.has(resource)) continue;
        const crd = await crdOf(resource, signal);
        const some = crd === undefined ? undefined : await counts.of(crd, clusterNamespace, signal);
        if (some !== undefined && some.count > 0) left.set(resource, some);
      }
      await tellLeft(clusterNamespace, left, signal);
      if (totals.has(clusterNamespace)) lookAgain.push(recheckMs * (1 - 0.2 * random()));
      return lookAgain.length === 0 ? done : { kind: 'requeue', afterMs: Math.min(...lookAgain), priority: 'background' };
    }

    /** One export: its finalizer, what it says about its policy, and, where it has ended, its copies. `resources`: those that nothing else stands for. */
    async function settle(found: ExportObject, ownResources: readonly string[], signal: AbortSignal): Promise<{ readonly left: ReadonlyMap<string, Left>; readonly againMs?: number }> {
      const { policy, unknown } = withdrawnObjectsPolicyOf(found.metadata, provider);
      const isReleased = releasedBecause(found.metadata) !== undefined;
      const perMinute = cleaner.budget(found).perMinute;
      const quiet: ExportOutcome = { ...nothingToSay, unknownPolicy: unknown, perMinute };
      const none = new Map<string, Left>();
      if (!hasEnded(found)) cleaner.forget(found.metadata.uid);
      if (!hasEnded(found) || policy === 'Keep' || isReleased) {
        await tellExport(found, quiet, signal);
        // It can be set only while the export stands.
        await setFinalizer(found, policy === 'Delete' && !isReleased, signal);
        return { left: none };
      }
      const waitMs = cleaner.waitMs(found);
      if (waitMs > 0) {
        await tellExport(found, quiet, signal);
        return { left: none, againMs: waitMs };
      }
      const crds = (await Promise.all(ownResources.map((resource) => crdOf(resource, signal)))).filter((crd) => crd !== undefined);
      const cleaned = await cleaner.clean(found, crds, placesFor(found.metadata.namespace ?? ''), signal);
      return concluded(found, cleaned, { ...quiet, held: cleaner.budget(found).held, unproven: unprovenIn(cleaned), refused: cleaned.refused }, signal);
    }

    async function concluded(found: ExportObject, cleaned: Cleaned, outcome: ExportOutcome, signal: AbortSignal): Promise<{ readonly left: ReadonlyMap<string, Left>; readonly againMs?: number }> {
      const { copies, deleted, refused } = cleaned;
      if (deleted > 0) {
        deletions.inc({ dialect: dialect.name }, deleted);
        ctx.logger.info('Copies of an export that has ended are deleted.', { key: objectKey(found), deleted });
      }
      await tellExport(found, outcome, signal);
      const all = [...copies.values()].flat();
      if (all.length > 0) return { left: leftIn(copies), againMs: deleted > 0 || all.some(({ isGoing }) => isGoing) ? goneCheckMs : recheckMs };
      // What could not be read may be there.
      if (refused !== undefined) return { left: new Map(), againMs: recheckMs };
      const total = cleaner.deleted(found);
      if (total > 0) {
        recount(found);
        record(found, 'Normal', 'WithdrawnObjectsDeleted', `This export has ended, and ${total} ${total === 1 ? 'copy' : 'copies'} of its consumer's objects ${total === 1 ? 'was' : 'were'} deleted, as the policy for withdrawn objects says. None is left.`);
        cleaner.forget(found.metadata.uid);
      }
      await setFinalizer(found, false, signal);
      return { left: new Map() };
    }

    async function tellExport(found: ExportObject, outcome: ExportOutcome, signal: AbortSignal): Promise<void> {
      const mutate = (status: ExportObject['status'], now: number): NonNullable<ExportObject['status']> => {
        const conditions = withExportOutcome(status?.conditions, outcome, now);
        return conditions === status?.conditions ? { ...status } : { ...status, conditions };
      };
      const written = await commitStatus(client, kinds.apiServiceExports, found, (status) => mutate(status, clock.now()), { clock, random, signal });
      if (written === undefined || written === found) return;
      exports.observe(written);
      const held = heldCondition(outcome);
      if (held !== undefined && getCondition(found.status?.conditions, held.type)?.reason !== held.reason) record(found, 'Warning', held.reason, held.message);
      const invalid = getCondition(written.status?.conditions, conditionTypes.policiesValid);
      if (invalid !== undefined && getCondition(found.status?.conditions, conditionTypes.policiesValid)?.message !== invalid.message) record(found, 'Warning', 'UnknownPolicyValue', invalid.message ?? '');
    }

    async function tellLeft(clusterNamespace: string, left: ReadonlyMap<string, Left>, signal: AbortSignal): Promise<void> {
      tally(clusterNamespace, [...left.values()].reduce((sum, { count }) => sum + count, 0));
      const binding = clusterBindings.get({ namespace: clusterNamespace, name: dialect.names.clusterBinding });
      if (binding === undefined || isTerminating(binding)) return;
      const written = await commitStatus(client, kinds.clusterBindings, binding, (status) => {
        const conditions = withLeft(status.conditions, left, clock.now());
        return conditions === status.conditions ? status : { ...status, conditions };
      }, { clock, random, signal });
      if (written === undefined || written === binding) return;
      clusterBindings.observe(written);
      const condition = leftCondition(left);
      if (condition !== undefined && getCondition(binding.status?.conditions, condition.type) === undefined) record(binding, 'Normal', condition.reason, condition.message);
    }

    function record({ metadata: { namespace, name: objectName, uid }, kind }: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
      events.record({ apiVersion: dialect.apiVersion, kind: kind === 'ClusterBinding' ? kind : 'APIServiceExport', namespace, name: objectName, uid }, { type, reason, message });
    }

    function tally(clusterNamespace: string, count: number): void {
      if (count === 0) totals.delete(clusterNamespace);
      else totals.set(clusterNamespace, count);
      gauge.set([...totals.values()].reduce((sum, one) => sum + one, 0), { dialect: dialect.name });
    }

    function recount(found: ExportObject): void {
      for (const resource of resourcesOf(found)) counts.forget(resource);
    }

    /** Sees to it that the finalizer is there, or is not; of an export as it was decided about. */
    async function setFinalizer(found: ExportObject, wanted: boolean, signal: AbortSignal): Promise<void> {
      const { namespace, name: exportName, uid, resourceVersion, finalizers: current = [] } = exports.get(objectKey(found))?.metadata ?? found.metadata;
      if (current.includes(finalizer) === wanted || (wanted && isTerminating(found)) || uid !== found.metadata.uid) return;
      const next = wanted ? [...current, finalizer] : current.filter((one) => one !== finalizer);
      try {
        exports.observe(await client.patch<ExportObject>(kinds.apiServiceExports, { namespace, name: exportName }, { type: 'merge', patch: { metadata: { uid, resourceVersion, finalizers: next } } }, { fieldManager, signal }));
      } catch (error) {
        // Without its last finalizer it is gone at once.
        if (isApiError(error) && error.code === 'NotFound') return;
        throw error;
      }
    }

    function placesFor(clusterNamespace: string): readonly Place[] {
      return placesOf(dialect, clusterNamespace, namespaces.byIndex(byConsumer, clusterNamespace), serviceNamespaces.list(clusterNamespace));
    }

    function whose(copy: KubeObject): string | undefined {
      const { namespace } = copy.metadata;
      const named = copy.metadata.annotations?.[dialect.annotations.clusterNamespace];
      const owner = namespace === undefined ? undefined : ownerOf(dialect, namespaces.get(namespace)?.metadata.annotations);
      const consumer = owner?.split('/', 1)[0] ?? named;
      if (consumer === undefined) return undefined;
      // Of the places of that consumer only this one can be it.
      const place = namespace === undefined ? undefined : placesOf(dialect, consumer, present(namespaces.get(namespace)), present(serviceNamespaces.get({ namespace: consumer, name: namespace }))).find((one) => one.namespace === namespace);
      if (namespace !== undefined && place === undefined) return undefined;
      return belongingOf(dialect, consumer, place, '', copy).kind === 'own' ? consumer : undefined;
    }

    /** One that is not exported any more counts, too. */
    async function crdOf(resource: string, signal: AbortSignal): Promise<CustomResourceDefinition | undefined> {
      return offered.get(resource) ?? await getIfExists<CustomResourceDefinition>(client, resources.customResourceDefinitions, { name: resource }, { signal });
    }

    /** The CRDs that the provider exports: by label, or in Klutch by template. */
    function offers(): { readonly names: () => readonly string[]; readonly get: (resource: string) => CustomResourceDefinition | undefined } {
      if (dialect.schema === 'BoundSchemas') {
        const crds = scope.informer(informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions, labelSelector: `${labels.exported}=true` }));
        return { names: () => crds.list().map(({ metadata }) => metadata.name), get: (resource) => crds.get(resource) };
      }
      const crds = scope.informer(informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions }));
      const templates = scope.informer(informers.acquire<InlineTemplate>({ resource: kinds.apiServiceExportTemplates }));
      return { names: () => [...new Set(templates.list().map(({ spec }) => resourceGroupName(spec.APIServiceSelector)))], get: (resource) => crds.get(resource) };
    }
  });
}

function present<T>(found: T | undefined): readonly T[] {
  return found === undefined ? [] : [found];
}

function unprovenIn({ copies }: Cleaned): readonly Copy[] {
  return [...copies.values()].flat().filter(({ obstacle, isGoing }) => obstacle !== undefined && !isGoing);
}

function leftIn(copies: ReadonlyMap<string, readonly Copy[]>): ReadonlyMap<string, Left> {
  return new Map([...copies].map(([resource, some]) => [resource, { count: some.length, examples: some.slice(0, mostExamples).map(({ key }) => objectKey(key)) }]));
}
