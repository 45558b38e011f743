import { type OwnerReference, isNotFound } from '@hawser/client';
import { type Controller, type ControllerContext, type Queue, type Result, createController, createQueue, done } from '@hawser/controller';
import {
  type APIServiceBinding, type APIServiceExport, type BoundSchema, type CustomResourceDefinition, type Namespace, apiVersion, commitStatus, resources,
} from '@hawser/kube-bind';
import { type ProviderConnection, createNamedWatches } from '@hawser/konnector-connection';
import { type ServiceNamespaceObject, createDeletionProver, createServiceNamespaces, createSync, type Sync } from '@hawser/konnector-sync';

import { boundSchemaStatus, exportStatus } from './export-status.js';
import { objectsInSync } from './objects-in-sync.js';
import { type ExportSnapshot, type ResourceSnapshot, type SyncConfig, ownsCrd, planSyncs, resourceNames } from './plan-syncs.js';
import { type RunningSync, type SyncSet, createSyncSet } from './sync-set.js';

export interface APIServiceExportOptions {
  readonly connection: ProviderConnection;
  /** Objects of one resource that are written at the same time. */
  readonly concurrency?: number | undefined;
  /** How long problems of objects are gathered before the binding's condition is written. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
}

/** The controller of a connection's exports, and a view of its syncs for `why`, `plan` and health. */
export interface APIServiceExportController extends Controller<'consumer' | 'provider'> {
  syncs(): readonly (RunningSync & { readonly export: string })[];
  /** Resolves when nothing is in flight any more for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
}

const NAME = 'apiserviceexport';

/**
 * Runs one sync per resource of each APIServiceExport that this connection's bindings bind, and reports the consumer's state back to the
 * provider: `Connected` and `ConsumerInSync` on the export, the CRD's conditions and stored versions on each BoundSchema
 * (`spec/konnector.md §7.5`).
 *
 * A sync runs only where this connection serves the binding and the binding owns the CRD. A BoundSchema that cannot be read leaves its sync running.
 */
export function createAPIServiceExport(options: APIServiceExportOptions): APIServiceExportController {
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

    const namespaces = createServiceNamespaces({ client: provider.client, resource: resources.apiServiceNamespaces, clusterNamespace: namespace, informer: serviceNamespaces });
    const identities = createIdentities(ctx, namespace);
    const queue: Queue = scope.queue(
      createQueue({ name: NAME, concurrency: 4, reconcile, clock: ctx.clock, random: ctx.random, logger: ctx.logger, metrics: ctx.metrics, ready: scope.ready }),
    );
    settled = () => queue.idle();
    const reports = createReports(options.reportDelayMs ?? 2_000, ctx, (name) => reportObjects(name));
    scope.own(() => reports.close());
    scope.own(async () => {
      await Promise.all([...sets.values()].map((set) => set.stop()));
      sets.clear();
    });

    scope.own(exports.addHandler({
      onAdd: (object) => { queue.add(object.metadata.name); },
      onUpdate: (_, object) => { queue.add(object.metadata.name); },
      onDelete: (object) => { queue.add(object.metadata.name); },
    }));
    scope.own(schemas.addHandler({ onAdd: ({ metadata }) => { resourceChanged(metadata.name); }, onUpdate: (_, { metadata }) => { resourceChanged(metadata.name); }, onDelete: ({ metadata }) => { resourceChanged(metadata.name); } }));
    scope.own(bindings.addHandler({
      onAdd: (object) => { queue.add(object.metadata.name); },
      onUpdate: (_, object) => { queue.add(object.metadata.name); },
      onDelete: (object) => { queue.add(object.metadata.name); },
    }));
    scope.own(served.onChange((name) => { queue.add(name); }));
    await Promise.all([exports.synced(scope.signal), serviceNamespaces.synced(scope.signal), bindings.synced(scope.signal)]);

    function resourceChanged(name: string): void {
      for (const apiExport of exports.list()) if (resourceNames(apiExport).includes(name)) queue.add(apiExport.metadata.name);
    }

    async function reconcile(name: string, signal: AbortSignal): Promise<Result> {
      const apiExport = exports.get({ namespace, name });
      if (apiExport === undefined) {
        await sets.get(name)?.stop();
        sets.delete(name);
        return done;
      }
      const snapshot = await observe(apiExport, signal);
      await identities.resolve(signal);
      let set = sets.get(name);
      if (set === undefined) {
        set = createSyncSet((config) => startSync(config), ctx.logger.child({ export: name }));
        sets.set(name, set);
      }
      await set.apply(planSyncs(snapshot), signal);
      const schemaFailure = await reportSchemas(snapshot, signal);
      await commitStatus<APIServiceExport>(provider.client, resources.apiServiceExports, apiExport, (status) => exportStatus(status, { binding: snapshot.binding, schemaFailure }, ctx.clock.now()), { clock: ctx.clock, random: ctx.random, signal });
      return done;
    }

    async function observe(apiExport: APIServiceExport, signal: AbortSignal): Promise<ExportSnapshot> {
      const name = apiExport.metadata.name;
      const binding = served.has(name) ? bindings.get(name) : undefined;
      const names = resourceNames(apiExport);
      crds.want(exports.list().flatMap(resourceNames).map((crd) => ({ name: crd })));
      await crds.settled(signal);
      const crdOf = (resource: string): CustomResourceDefinition | undefined => {
        const reading = crds.read({ name: resource });
        return reading.kind === 'found' ? reading.object : undefined;
      };
      return { export: apiExport, binding, resources: await Promise.all(names.map(async (resource): Promise<ResourceSnapshot> => ({ name: resource, schema: await readSchema(resource, signal), crd: crdOf(resource) }))) };
    }

    /** From the cache where the provider lets us watch, else live. */
    async function readSchema(name: string, signal: AbortSignal): Promise<ResourceSnapshot['schema']> {
      if (schemas.hasSynced) {
        const schema = schemas.get({ namespace, name });
        return schema === undefined ? { kind: 'missing' } : { kind: 'found', schema };
      }
      try {
        return { kind: 'found', schema: await provider.client.get<BoundSchema>(resources.boundSchemas, { namespace, name }, { signal }) };
      } catch (error) {
        return isNotFound(error) ? { kind: 'missing' } : { kind: 'unreadable', message: error instanceof Error ? error.message : String(error) };
      }
    }

    /** Mirrors the CRDs' state into the BoundSchemas; returns what went wrong, in words. */
    async function reportSchemas({ binding, resources: parts }: ExportSnapshot, signal: AbortSignal): Promise<string | undefined> {
      const failures: string[] = [];
      for (const { schema, crd } of parts) {
        if (schema.kind === 'unreadable') failures.push(schema.message);
        if (schema.kind !== 'found' || crd === undefined || binding === undefined || !ownsCrd(crd, binding)) continue;
        try {
          const written = await commitStatus<BoundSchema>(provider.client, resources.boundSchemas, schema.schema, (status) => boundSchemaStatus(status, crd, ctx.clock.now()), { clock: ctx.clock, random: ctx.random, signal });
          if (written !== undefined && schemas.hasSynced) schemas.observe(written);
        } catch (error) {
          failures.push(error instanceof Error ? error.message : String(error));
        }
      }
      return failures.length === 0 ? undefined : failures.join(' ');
    }

    function startSync(config: SyncConfig): Sync {
      const identity = identities.known();
      const exportOwner: OwnerReference = { apiVersion, kind: 'APIServiceExport', name: config.exportName, uid: config.exportUid };
      const binding = { name: config.bindingName, uid: config.bindingUid };
      const prover = createDeletionProver({
        consumer: consumer.client,
        bindings: resources.apiServiceBindings,
        customResourceDefinitions: resources.customResourceDefinitions,
        binding,
        crdName: config.crdName,
        ownsCrd: (crd) => ownsCrd(crd as CustomResourceDefinition, { metadata: binding }),
      });
      return createSync({
        name: config.bindingName,
        resource: { group: config.group, version: config.version, resource: config.plural },
        settings: {
          isolation: config.isolation,
          clusterNamespace: namespace,
          clusterNamespaceUid: identity.clusterNamespaceUid,
          consumerCluster: identity.consumerCluster,
          statusSubresource: config.statusSubresource,
        },
        informerScope: config.informerScope,
        consumer,
        provider,
        namespaces,
        exportOwner,
        prove: () => prover.prove(),
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        clock: ctx.clock,
        random: ctx.random,
        logger: ctx.logger,
        metrics: ctx.metrics,
        onProblems: () => { reports.request(config.bindingName); },
      });
    }

    async function reportObjects(name: string): Promise<void> {
      const binding = bindings.get(name);
      if (binding === undefined || !served.has(name)) return;
      const problems = (sets.get(name)?.all() ?? []).flatMap(({ sync }) => sync.problems());
      await commitStatus<APIServiceBinding>(consumer.client, resources.apiServiceBindings, binding, (status) => objectsInSync(status, problems, ctx.clock.now()), { clock: ctx.clock, random: ctx.random, signal: scope.signal });
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
    syncs: () => [...sets].flatMap(([name, set]) => set.all().map((running) => ({ ...running, export: name }))),
  };
}

interface Identities {
  readonly clusterNamespaceUid: string;
  readonly consumerCluster: string;
}

/** Who the two sides are: read once, live. The consumer is known by the uid of `kube-system`, else of `default`. */
function createIdentities(ctx: ControllerContext<'consumer' | 'provider'>, clusterNamespace: string): { resolve(signal: AbortSignal): Promise<void>; known(): Identities } {
  let identities: Identities | undefined;
  const uidOf = async (side: 'consumer' | 'provider', name: string, signal: AbortSignal): Promise<string> => {
    const object = await ctx.clusters[side].client.get<Namespace>(resources.namespaces, { name }, { representation: 'metadata', signal });
    return object.metadata.uid ?? '';
  };
  return {
    async resolve(signal) {
      if (identities !== undefined) return;
      const [clusterNamespaceUid, consumerCluster] = await Promise.all([
        uidOf('provider', clusterNamespace, signal),
        uidOf('consumer', 'kube-system', signal).catch((error: unknown) => {
          if (isNotFound(error)) return uidOf('consumer', 'default', signal);
          throw error;
        }),
      ]);
      identities = { clusterNamespaceUid, consumerCluster };
    },
    known() {
      if (identities === undefined) throw new Error('identities are resolved before syncs start');
      return identities;
    },
  };
}

/** Gathers requests to report on a binding, so that a storm of problems is one write. */
function createReports(delayMs: number, ctx: ControllerContext, report: (name: string) => Promise<void>): { request(name: string): void; close(): Promise<void> } {
  const queue = createQueue({
    name: 'objects-in-sync',
    concurrency: 1,
    reconcile: async (name) => {
      await report(name);
      return done;
    },
    clock: ctx.clock,
    random: ctx.random,
    logger: ctx.logger,
    metrics: ctx.metrics,
  });
  return {
    request: (name) => { queue.addAfter(name, delayMs); },
    close: () => queue.stop(),
  };
}
