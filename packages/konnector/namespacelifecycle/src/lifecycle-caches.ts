import type { KubeObject } from '@hawser/client';
import type { Setup, Watched } from '@hawser/controller';
import { type ProviderConnection, deniedError } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceNamespace,
  type BoundSchema,
  resources,
} from '@hawser/kube-bind';
import { type BoundResources, createBoundResources } from './bound-resources.js';
import { requestKey } from './keys.js';
import type { NamespaceReading } from './observed.js';
import type { Reports } from './reports.js';

/** Caches of everything that decides about the APIServiceNamespaces of a connection. */
export class LifecycleCaches {
  readonly bindings: Watched<APIServiceBinding>;
  readonly requests: Watched<APIServiceNamespace>;
  readonly exports: Watched<APIServiceExport>;
  readonly bound: BoundResources;
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #namespace: string;
  readonly #reports: Reports;
  #namespaces: Watched<KubeObject> | undefined;

  constructor(setup: Setup<'consumer' | 'provider'>, connection: ProviderConnection, reports: Reports) {
    const {
      clusters: { consumer, provider },
      watch,
      scope,
    } = setup;
    const { clusterNamespace: namespace, bindings } = connection;
    this.#setup = setup;
    this.#namespace = namespace;
    this.#reports = reports;
    const none = (): readonly string[] => [];
    this.bindings = watch(consumer, { resource: resources.apiServiceBindings, kind: 'APIServiceBinding' }, none);
    this.requests = watch(
      provider,
      { resource: resources.apiServiceNamespaces, kind: 'APIServiceNamespace', namespace },
      ({ metadata }) => requestKey(metadata.name),
      { cures: true },
    );
    const exported = { resource: resources.apiServiceExports, kind: 'APIServiceExport', namespace };
    this.exports = watch(provider, exported, none);
    const schemas = { resource: resources.boundSchemas, kind: 'BoundSchema', namespace };
    this.bound = createBoundResources(
      provider.client,
      namespace,
      this.exports,
      watch<BoundSchema>(provider, schemas, none),
    );
    scope.own(
      bindings.onChange(() => {
        this.#lookAtAll();
      }),
    );
  }

  request(name: string): APIServiceNamespace | undefined {
    return this.requests.get({ namespace: this.#namespace, name });
  }

  /** The consumer's namespaces, metadata only. The watch starts at the first call. */
  get namespaces(): Watched<KubeObject> {
    return (this.#namespaces ??= this.#watchNamespaces());
  }

  read(name: string): NamespaceReading {
    if (this.namespaces.hasSynced) return { kind: this.namespaces.get(name) === undefined ? 'missing' : 'present' };
    const denied = deniedError(this.namespaces);
    return denied === undefined ? { kind: 'unknown' } : { kind: 'denied', error: denied.message };
  }

  #watchNamespaces(): Watched<KubeObject> {
    const {
      clusters: { consumer },
      watch,
      scope,
    } = this.#setup;
    const namespaces = watch(
      consumer,
      { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
      // A deleted namespace makes room for another one.
      ({ metadata: { name } }, change) =>
        [
          ...(this.request(name) === undefined ? [] : [name]),
          ...(change === 'delete' ? this.#reports.limited : []),
        ].map(requestKey),
      // Changes to an existing namespace do not matter here.
      { changed: () => false, cures: true },
    );
    const answered = (): void => {
      this.#lookAtAll();
    };
    scope.own(
      namespaces.onStateChange(() => {
        if (!namespaces.hasSynced) answered();
      }),
    );
    void namespaces.synced(scope.signal).then(answered, () => undefined);
    return namespaces;
  }

  #lookAtAll(): void {
    for (const { metadata } of this.requests.list())
      this.#setup.look(requestKey(metadata.name), { priority: 'normal', cures: true });
  }
}
