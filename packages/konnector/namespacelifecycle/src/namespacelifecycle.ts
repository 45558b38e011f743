import { type KubeObject, type Resource, isApiError } from '@hawser/client';
import { type Controller, type Queue, type Result, createController, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type ProviderConnection, deniedError, fillInformers, readProviderIdentity } from '@hawser/konnector-connection';
import { type APIServiceBinding, type APIServiceExport, type APIServiceNamespace, type BoundSchema, resources } from '@hawser/kube-bind';
import { createNamespace, deleteRequest } from './act.js';
import { createBoundResources } from './bound-resources.js';
import { decide, decideDeletion } from './decide.js';
import { MadeNamespaces } from './made-namespaces.js';
import type { NamespaceReading, Observed } from './observed.js';
import { type NamespaceProblem, creationFailed, deletionFailed } from './problems.js';
import { prove } from './proof.js';
import { protectionOf } from './protection.js';
import { Reports, commitProblems } from './reports.js';

export interface NamespaceLifecycleOptions {
  readonly connection: ProviderConnection;
  /** Namespaces of the konnector on the consumer: no provider may have one of these made. */
  readonly ownNamespaces?: readonly string[] | undefined;
  /** How many namespaces the provider may have made on the consumer. Default 100. */
  readonly maxNamespaces?: number | undefined;
  /** When to look again at what is kept for the provider's sake, in milliseconds. Default 60 000. */
  readonly lookAgainMs?: number | undefined;
  /** How long problems are gathered before the bindings' conditions are written, in milliseconds. Default 2 000. */
  readonly reportDelayMs?: number | undefined;
}

const name = 'namespacelifecycle';
const requestPrefix = 'namespace/';
const reportPrefix = 'report/';

/**
 * Keeps the namespaces of one connection in step (spec/konnector.md §7.3): makes those on the consumer that the provider asks for, and lets the provider know
 * when one of the consumer's is gone by deleting its APIServiceNamespace, once that is proven. Never deletes a namespace of the consumer.
 *
 * Namespaces are watched, without their contents, once there is an APIServiceNamespace; those without one cause no work.
 */
export function createNamespaceLifecycle(options: NamespaceLifecycleOptions): Controller<'consumer' | 'provider'> {
  const { connection, ownNamespaces = [], maxNamespaces = 100, lookAgainMs = 60_000, reportDelayMs = 2_000 } = options;
  return createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace: namespace } = connection;
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const requests = scope.informer(provider.informers.acquire<APIServiceNamespace>({ resource: resources.apiServiceNamespaces, namespace }));
    const exports = scope.informer(provider.informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports, namespace }));
    const schemas = scope.informer(provider.informers.acquire<BoundSchema>({ resource: resources.boundSchemas, namespace }));
    const bound = createBoundResources(provider.client, namespace, exports, schemas);
    const reports = new Reports();
    /** Not looked at since the start: until then what was said before stands. */
    const unseen = new Set<string>();
    const made = new MadeNamespaces();
    /** Requests that found no room. */
    const limited = new Set<string>();
    let identity: string | undefined;
    let namespaces: InformerHandle<KubeObject> | undefined;
    const queue: Queue = scope.openQueue({ name, concurrency: 2, reconcile });

    scope.own(requests.addHandler({
      onAdd: ({ metadata }, initial) => {
        if (initial) unseen.add(metadata.name);
        enqueue(metadata.name);
      },
      onUpdate: (_, { metadata }) => { enqueue(metadata.name); },
      onDelete: ({ metadata }) => { enqueue(metadata.name); },
    }));
    scope.own(connection.bindings.onChange(() => { enqueueAll(); }));
    await fillInformers([bindings, requests, exports], scope.signal);
    enqueueAll();

    function enqueue(request: string): void {
      namespaces ??= watchNamespaces();
      queue.add(requestPrefix + request, { resetBackoff: true });
    }

    function enqueueAll(): void {
      for (const { metadata } of requests.list()) enqueue(metadata.name);
    }

    function watchNamespaces(): InformerHandle<KubeObject> {
      const informer = scope.informer(consumer.informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
      const changed = ({ metadata }: KubeObject): void => {
        if (requests.get({ namespace, name: metadata.name }) !== undefined) enqueue(metadata.name);
      };
      // Where another connection watches namespaces already, the handler is told at once, and looks for the watch.
      namespaces = informer;
      // What happens to a namespace while it is there is nothing to us.
      informer.addHandler({
        onAdd(object) {
          made.settled(object.metadata.name);
          changed(object);
        },
        onDelete(object) {
          made.settled(object.metadata.name);
          changed(object);
          for (const request of limited) enqueue(request);
        },
      });
      informer.onStateChange(() => { if (!informer.hasSynced) enqueueAll(); });
      void informer.synced(scope.signal).then(enqueueAll, () => undefined);
      return informer;
    }

    function readNamespace(request: string): NamespaceReading {
      if (namespaces === undefined) return { kind: 'unknown' };
      if (namespaces.hasSynced) return { kind: namespaces.get(request) === undefined ? 'missing' : 'present' };
      const denied = deniedError(namespaces);
      return denied === undefined ? { kind: 'unknown' } : { kind: 'denied', error: denied.message };
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      if (key.startsWith(reportPrefix)) return report(key.slice(reportPrefix.length), signal);
      const request = key.slice(requestPrefix.length);
      const object = requests.get({ namespace, name: request });
      limited.delete(request);
      if (object === undefined) {
        const wasLast = unseen.delete(request) && unseen.size === 0;
        if (reports.forget(request) || wasLast) reportAll();
        return done;
      }
      const observed = { request: object, namespace: readNamespace(request), protection: protectionOf(request, ownNamespaces), bound: connection.bindings.names().length > 0 };
      const decision = decide(observed);
      switch (decision.kind) {
        case 'nothing':
          // Before the cache is filled this is no answer: what was said before stands.
          if (observed.namespace.kind !== 'unknown') say(object, undefined);
          return done;
        case 'report':
          say(object, decision.problem);
          return done;
        case 'createNamespace':
          await attempt(object, (error) => creationFailed(request, error), () => create(observed, signal));
          return done;
        case 'prove':
          return settle(object, signal);
      }
    }

    /** What is not of the core group has no version in a claim. */
    function claimed(): readonly Resource[] {
      const names = connection.bindings.names().flatMap((binding) => bindings.get(binding)?.status?.permissionClaims ?? []).flatMap(({ group = '', resource }) => (group === '' ? [resource] : []));
      return [...new Set(names)].map((resource) => ({ group: '', version: 'v1', resource }));
    }

    async function settle(object: APIServiceNamespace, signal: AbortSignal): Promise<Result> {
      const { name: request } = object.metadata;
      const decision = decideDeletion(request, await prove({ consumer: consumer.client, provider: provider.client, bound, claimed }, object, signal));
      if (decision.kind === 'delete') {
        await attempt(object, (error) => deletionFailed(request, error), async () => {
          await deleteRequest(provider.client, object, signal);
          return undefined;
        });
        ctx.logger.info('APIServiceNamespace deleted: its namespace is gone', { namespace: request });
        return done;
      }
      say(object, decision.problem);
      return decision.again ? { kind: 'requeue', afterMs: lookAgainMs, priority: 'background' } : done;
    }

    /** If there is room; returns what is to be said otherwise. */
    async function create(observed: Observed, signal: AbortSignal): Promise<NamespaceProblem | undefined> {
      const { name: request } = observed.request.metadata;
      identity ??= await readProviderIdentity(provider.client, namespace, signal);
      if (!made.take(request, maxNamespaces, namespaces?.list() ?? [], identity, (one) => requests.get({ namespace, name: one }))) {
        limited.add(request);
        const decision = decide({ ...observed, limit: maxNamespaces });
        return decision.kind === 'report' ? decision.problem : undefined;
      }
      try {
        await createNamespace(consumer.client, request, identity, signal);
      } catch (error) {
        made.settled(request);
        throw error;
      }
      return undefined;
    }

    /** Reports a refusal and has it tried again. `write` returns what is to be said although nothing failed. */
    async function attempt(object: APIServiceNamespace, problem: (error: string) => NamespaceProblem, write: () => Promise<NamespaceProblem | undefined>): Promise<void> {
      try {
        say(object, await write());
      } catch (error) {
        // Changed by somebody else meanwhile: nothing to report, but to be looked at again.
        if (isApiError(error) && error.code !== 'Aborted' && error.code !== 'Conflict') say(object, problem(error.message));
        throw error;
      }
    }

    function say(object: APIServiceNamespace, problem: NamespaceProblem | undefined): void {
      const first = unseen.delete(object.metadata.name) && unseen.size === 0;
      if (reports.set(object, problem) || first) reportAll();
    }

    function reportAll(): void {
      for (const binding of connection.bindings.names()) queue.addAfter(reportPrefix + binding, reportDelayMs);
    }

    async function report(binding: string, signal: AbortSignal): Promise<Result> {
      const object = connection.bindings.has(binding) ? bindings.get(binding) : undefined;
      const problems = reports.of(binding, connection);
      if (object === undefined || unseen.size > 0) return done;
      await commitProblems(consumer, bindings, object, problems, ctx, signal);
      return done;
    }
  });
}
