import { listAll, type Resource } from '@hawser/client';
import type { Setup } from '@hawser/controller';
import { readProviderIdentity } from '@hawser/konnector-connection';
import { type APIServiceBinding, type APIServiceExport, type APIServiceNamespace, resources } from '@hawser/kube-bind';
import { decideRequest } from './decide.js';
import { namedBy } from './keys.js';
import type { LifecycleCaches } from './lifecycle-caches.js';
import type { MadeNamespaces } from './made-namespaces.js';
import type { NamespaceLifecycleOptions } from './namespacelifecycle.js';
import type { Observed } from './observed.js';
import { creationFailed } from './problems.js';
import { prove } from './proof.js';
import { protectionOf } from './protection.js';
import type { Reports } from './reports.js';

export interface ObserverContext {
  readonly setup: Setup<'consumer' | 'provider'>;
  readonly options: NamespaceLifecycleOptions;
  readonly caches: LifecycleCaches;
  readonly reports: Reports;
  readonly made: MadeNamespaces;
}

/** Reads everything that decides about a key: from caches, and live before a create or delete. */
export class Observer {
  readonly #context: ObserverContext;
  #provider: string | undefined;

  constructor(context: ObserverContext) {
    this.#context = context;
  }

  async observe(key: string, signal: AbortSignal): Promise<Observed> {
    const { setup, options, caches, reports } = this.#context;
    const { kind, name } = namedBy(key);
    if (kind === 'binding') {
      const binding = options.connection.bindings.has(name) ? caches.bindings.get(name) : undefined;
      return { kind, binding, problems: reports.of(name), now: setup.clock.now() };
    }
    const request = caches.request(name);
    if (request === undefined) return { kind: 'gone', name };
    const observed = {
      kind,
      request,
      namespace: caches.read(name),
      protection: protectionOf(name, options.ownNamespaces ?? []),
      bound: options.connection.bindings.names().length > 0,
      lookAgainMs: options.lookAgainMs ?? 60_000,
    };
    switch (decideRequest(observed).kind) {
      case 'createNamespace':
        return { ...observed, provider: await this.#identity(request, signal) };
      case 'prove':
        return { ...observed, proof: await this.#prove(request, signal) };
      case 'nothing':
      case 'report':
        return observed;
    }
  }

  /** Adds whether there is room for a new namespace. */
  counted(observed: Observed): Observed {
    if (observed.kind !== 'request' || observed.provider === undefined) return observed;
    const { caches, made, options } = this.#context;
    const { maxNamespaces = 100 } = options;
    const count = made.besides(observed.request.metadata.name, caches.namespaces.list(), observed.provider, (name) =>
      caches.request(name),
    );
    return count < maxNamespaces ? observed : { ...observed, limit: maxNamespaces };
  }

  async #identity(request: APIServiceNamespace, signal: AbortSignal): Promise<string> {
    const { setup, options, reports } = this.#context;
    return (this.#provider ??= await reports.attempt(request, creationFailed, () =>
      readProviderIdentity(setup.clusters.provider.client, options.connection.clusterNamespace, signal),
    ));
  }

  #prove(request: APIServiceNamespace, signal: AbortSignal): ReturnType<typeof prove> {
    const { consumer, provider } = this.#context.setup.clusters;
    const { bound } = this.#context.caches;
    return prove(
      { consumer: consumer.client, provider: provider.client, bound, claimed: () => this.#claimed(signal) },
      request,
      signal,
    );
  }

  /**
   * Claims of all bindings with exports in the cluster namespace, also of bindings that another connection serves,
   * perhaps in another process. A claim names no version for groups other than core. Read live: after a restored
   * backup of a cluster its cache may lack exports or claims for a while.
   */
  async #claimed(signal: AbortSignal): Promise<readonly Resource[]> {
    const { options, setup } = this.#context;
    const { consumer, provider } = setup.clusters;
    const exports = await listAll<APIServiceExport>(provider.client, resources.apiServiceExports, {
      namespace: options.connection.clusterNamespace,
      signal,
    });
    const bindings = new Set([...options.connection.bindings.names(), ...exports.map(({ metadata }) => metadata.name)]);
    const live = await listAll<APIServiceBinding>(consumer.client, resources.apiServiceBindings, { signal });
    const names = live
      .filter(({ metadata }) => bindings.has(metadata.name))
      .flatMap(({ status }) => status?.permissionClaims ?? [])
      .flatMap(({ group = '', resource }) => (group === '' ? [resource] : []));
    return [...new Set(names)].map((resource) => ({ group: '', version: 'v1', resource }));
  }
}
