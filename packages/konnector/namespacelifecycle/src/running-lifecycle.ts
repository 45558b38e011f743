import { type Resource, isApiError } from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { fillInformers, readProviderIdentity } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceNamespace,
  type BoundSchema,
  resources,
} from '@hawser/kube-bind';
import { createNamespace, deleteRequest } from './act.js';
import { type BoundResources, createBoundResources } from './bound-resources.js';
import { decide, decideDeletion } from './decide.js';
import { MadeNamespaces } from './made-namespaces.js';
import { NamespaceWatch } from './namespace-watch.js';
import type { NamespaceLifecycleOptions } from './namespacelifecycle.js';
import type { Observed } from './observed.js';
import { type NamespaceProblem, creationFailed, deletionFailed } from './problems.js';
import { prove } from './proof.js';
import { protectionOf } from './protection.js';
import { Reports, commitProblems } from './reports.js';

const requestPrefix = 'namespace/';
const reportPrefix = 'report/';

/** One run of what keeps the namespaces of a connection in step. */
export class RunningLifecycle {
  readonly #options: NamespaceLifecycleOptions;
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  /** The cluster namespace. */
  readonly #namespace: string;
  readonly #maxNamespaces: number;
  readonly #lookAgainMs: number;
  readonly #reportDelayMs: number;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #requests: InformerHandle<APIServiceNamespace>;
  readonly #exports: InformerHandle<APIServiceExport>;
  readonly #namespaces: NamespaceWatch;
  readonly #bound: BoundResources;
  readonly #queue: Queue;
  readonly #reports = new Reports();
  /** Not looked at since the start: until then what was said before stands. */
  readonly #unseen = new Set<string>();
  readonly #made = new MadeNamespaces();
  /** Requests that found no room. */
  readonly #limited = new Set<string>();
  #identity: string | undefined;

  constructor(
    options: NamespaceLifecycleOptions,
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace: namespace } = options.connection;
    this.#options = options;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#namespace = namespace;
    this.#maxNamespaces = options.maxNamespaces ?? 100;
    this.#lookAgainMs = options.lookAgainMs ?? 60_000;
    this.#reportDelayMs = options.reportDelayMs ?? 2_000;
    this.#bindings = scope.informer(
      consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }),
    );
    this.#requests = scope.informer(
      provider.informers.acquire<APIServiceNamespace>({ resource: resources.apiServiceNamespaces, namespace }),
    );
    this.#exports = scope.informer(
      provider.informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports, namespace }),
    );
    const schemas = scope.informer(
      provider.informers.acquire<BoundSchema>({ resource: resources.boundSchemas, namespace }),
    );
    this.#bound = createBoundResources(provider.client, namespace, this.#exports, schemas);
    this.#namespaces = new NamespaceWatch({
      informers: consumer.informers,
      scope,
      came: (changed) => {
        this.#noticed(changed);
      },
      went: (changed) => {
        this.#went(changed);
      },
      changed: () => {
        this.#enqueueAll();
      },
    });
    this.#queue = scope.openQueue({ name, concurrency: 2, reconcile: (key, signal) => this.#reconcile(key, signal) });
    this.#follow();
  }

  /** Resolves when its caches are filled, and has all requests looked at then. */
  async fill(): Promise<void> {
    await fillInformers([this.#bindings, this.#requests, this.#exports], this.#scope.signal);
    this.#enqueueAll();
  }

  #follow(): void {
    this.#scope.own(
      this.#requests.addHandler({
        onAdd: ({ metadata }, initial) => {
          if (initial) this.#unseen.add(metadata.name);
          this.#enqueue(metadata.name);
        },
        onUpdate: (_, { metadata }) => {
          this.#enqueue(metadata.name);
        },
        onDelete: ({ metadata }) => {
          this.#enqueue(metadata.name);
        },
      }),
    );
    this.#scope.own(
      this.#options.connection.bindings.onChange(() => {
        this.#enqueueAll();
      }),
    );
  }

  #enqueue(request: string): void {
    this.#namespaces.open();
    this.#queue.add(requestPrefix + request, { resetBackoff: true });
  }

  #enqueueAll(): void {
    for (const { metadata } of this.#requests.list()) this.#enqueue(metadata.name);
  }

  /** It has come, or is gone: it is no more under way. */
  #noticed(namespace: string): void {
    this.#made.settled(namespace);
    if (this.#requestOf(namespace) !== undefined) this.#enqueue(namespace);
  }

  #went(namespace: string): void {
    this.#noticed(namespace);
    for (const request of this.#limited) this.#enqueue(request);
  }

  #requestOf(name: string): APIServiceNamespace | undefined {
    return this.#requests.get({ namespace: this.#namespace, name });
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    if (key.startsWith(reportPrefix)) return this.#report(key.slice(reportPrefix.length), signal);
    const request = key.slice(requestPrefix.length);
    const object = this.#requestOf(request);
    this.#limited.delete(request);
    if (object === undefined) {
      const wasLast = this.#unseen.delete(request) && this.#unseen.size === 0;
      if (this.#reports.forget(request) || wasLast) this.#reportAll();
      return done;
    }
    const observed = {
      request: object,
      namespace: this.#namespaces.read(request),
      protection: protectionOf(request, this.#options.ownNamespaces ?? []),
      bound: this.#options.connection.bindings.names().length > 0,
    };
    const decision = decide(observed);
    switch (decision.kind) {
      case 'nothing':
        // Before the cache is filled this is no answer: what was said before stands.
        if (observed.namespace.kind !== 'unknown') this.#say(object, undefined);
        return done;
      case 'report':
        this.#say(object, decision.problem);
        return done;
      case 'createNamespace':
        await this.#attempt(
          object,
          (error) => creationFailed(request, error),
          () => this.#create(observed, signal),
        );
        return done;
      case 'prove':
        return this.#settle(object, signal);
    }
  }

  /** What is not of the core group has no version in a claim. */
  #claimed(): readonly Resource[] {
    const names = this.#options.connection.bindings
      .names()
      .flatMap((binding) => this.#bindings.get(binding)?.status?.permissionClaims ?? [])
      .flatMap(({ group = '', resource }) => (group === '' ? [resource] : []));
    return [...new Set(names)].map((resource) => ({ group: '', version: 'v1', resource }));
  }

  async #settle(object: APIServiceNamespace, signal: AbortSignal): Promise<Result> {
    const { name: request } = object.metadata;
    const decision = decideDeletion(
      request,
      await prove(
        {
          consumer: this.#ctx.clusters.consumer.client,
          provider: this.#ctx.clusters.provider.client,
          bound: this.#bound,
          claimed: () => this.#claimed(),
        },
        object,
        signal,
      ),
    );
    if (decision.kind === 'delete') {
      await this.#attempt(
        object,
        (error) => deletionFailed(request, error),
        async () => {
          await deleteRequest(this.#ctx.clusters.provider.client, object, signal);
          return undefined;
        },
      );
      this.#ctx.logger.info('APIServiceNamespace deleted: its namespace is gone', { namespace: request });
      return done;
    }
    this.#say(object, decision.problem);
    return decision.again ? { kind: 'requeue', afterMs: this.#lookAgainMs, priority: 'background' } : done;
  }

  /** If there is room; returns what is to be said otherwise. */
  async #create(observed: Observed, signal: AbortSignal): Promise<NamespaceProblem | undefined> {
    const { name: request } = observed.request.metadata;
    this.#identity ??= await readProviderIdentity(this.#ctx.clusters.provider.client, this.#namespace, signal);
    if (
      !this.#made.take(request, this.#maxNamespaces, this.#namespaces.list(), this.#identity, (one) =>
        this.#requestOf(one),
      )
    ) {
      this.#limited.add(request);
      const decision = decide({ ...observed, limit: this.#maxNamespaces });
      return decision.kind === 'report' ? decision.problem : undefined;
    }
    try {
      await createNamespace(this.#ctx.clusters.consumer.client, request, this.#identity, signal);
    } catch (error) {
      this.#made.settled(request);
      throw error;
    }
    return undefined;
  }

  /** Reports a refusal and has it tried again. `write` returns what is to be said although nothing failed. */
  async #attempt(
    object: APIServiceNamespace,
    problem: (error: string) => NamespaceProblem,
    write: () => Promise<NamespaceProblem | undefined>,
  ): Promise<void> {
    try {
      this.#say(object, await write());
    } catch (error) {
      // Changed by somebody else meanwhile: nothing to report, but to be looked at again.
      if (isApiError(error) && error.code !== 'Aborted' && error.code !== 'Conflict')
        this.#say(object, problem(error.message));
      throw error;
    }
  }

  #say(object: APIServiceNamespace, problem: NamespaceProblem | undefined): void {
    const first = this.#unseen.delete(object.metadata.name) && this.#unseen.size === 0;
    if (this.#reports.set(object, problem) || first) this.#reportAll();
  }

  #reportAll(): void {
    for (const binding of this.#options.connection.bindings.names())
      this.#queue.addAfter(reportPrefix + binding, this.#reportDelayMs);
  }

  async #report(binding: string, signal: AbortSignal): Promise<Result> {
    const object = this.#options.connection.bindings.has(binding) ? this.#bindings.get(binding) : undefined;
    const problems = this.#reports.of(binding, this.#options.connection);
    if (object === undefined || this.#unseen.size > 0) return done;
    await commitProblems(this.#ctx.clusters.consumer, this.#bindings, object, problems, this.#ctx, signal);
    return done;
  }
}
