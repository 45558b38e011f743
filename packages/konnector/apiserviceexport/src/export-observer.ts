import { type Client, getIfExists, messageOf } from '@hawser/client';
import type { Scope } from '@hawser/controller';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type CustomResourceDefinition,
  type Secret,
  resources,
  servedResource,
} from '@hawser/kube-bind';
import { type NamedWatches, type ProviderConnection, createNamedWatches } from '@hawser/konnector-connection';

import { type ExportSnapshot, type ResourceSnapshot, resourceNames } from './plan-syncs.js';
import { ProviderScopes } from './provider-scope.js';

export interface ExportObserverOptions {
  readonly connection: ProviderConnection;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly schemas: InformerHandle<BoundSchema>;
  readonly bindings: InformerHandle<APIServiceBinding>;
  /** Informers of the consumer. */
  readonly informers: SharedInformers;
  readonly provider: Client;
  readonly scope: Pick<Scope, 'own'>;
  /** Called when the consumer's CRD of that name changes. */
  readonly crdChanged: (name: string) => void;
  /** Called when a Secret of the connection changes. */
  readonly secretChanged: () => void;
}

/** Reads everything that decides the syncs of an export. */
export class ExportObserver {
  readonly #options: ExportObserverOptions;
  /** Only the CRDs of exported resources: a cluster may have hundreds of large ones. */
  readonly #crds: NamedWatches<CustomResourceDefinition>;
  /** For the annotation that pauses the connection. The ClusterBinding controller watches them too. */
  readonly #secrets: NamedWatches<Secret>;
  readonly #scopes: ProviderScopes;

  constructor(options: ExportObserverOptions) {
    const { informers, provider, scope, crdChanged, secretChanged } = options;
    this.#options = options;
    this.#crds = createNamedWatches<CustomResourceDefinition>(
      informers,
      resources.customResourceDefinitions,
      ({ name }) => {
        crdChanged(name);
      },
    );
    scope.own(this.#crds);
    this.#secrets = createNamedWatches<Secret>(informers, resources.secrets, secretChanged);
    scope.own(this.#secrets);
    this.#scopes = new ProviderScopes(provider);
  }

  async observe(apiExport: APIServiceExport, signal: AbortSignal): Promise<ExportSnapshot> {
    const { connection, exports, bindings } = this.#options;
    const name = apiExport.metadata.name;
    const binding = connection.bindings.has(name) ? bindings.get(name) : undefined;
    const names = resourceNames(apiExport);
    this.#crds.want(
      exports
        .list()
        .flatMap(resourceNames)
        .map((crd) => ({ name: crd })),
    );
    this.#secrets.want(connection.secrets());
    await Promise.all([this.#crds.settled(signal), this.#secrets.settled(signal)]);
    const crdOf = (resource: string): CustomResourceDefinition | undefined => {
      const reading = this.#crds.read({ name: resource });
      return reading.kind === 'found' ? reading.object : undefined;
    };
    return {
      export: apiExport,
      binding,
      resources: await Promise.all(
        names.map(async (resource): Promise<ResourceSnapshot> => ({
          name: resource,
          ...(await this.#readResource(resource, crdOf(resource), binding !== undefined, signal)),
        })),
      ),
    };
  }

  /** The known Secrets of the connection. */
  secrets(): readonly Secret[] {
    return this.#options.connection.secrets().flatMap((ref) => {
      const reading = this.#secrets.read(ref);
      return reading.kind === 'found' ? [reading.object] : [];
    });
  }

  /** Forgets the provider's scope of a resource: no event reports a change of its CRD. */
  forgetScope(resource: string): void {
    this.#scopes.forget(resource);
  }

  /** Reads the provider's scope only where a sync may run. */
  async #readResource(
    name: string,
    crd: CustomResourceDefinition | undefined,
    bound: boolean,
    signal: AbortSignal,
  ): Promise<Omit<ResourceSnapshot, 'name'>> {
    const schema = await this.#readSchema(name, signal);
    const spec = schema.kind === 'found' ? schema.schema.spec : undefined;
    const served = spec === undefined ? undefined : servedResource(spec);
    const providerScope =
      bound && crd !== undefined && served !== undefined ? await this.#scopes.of(name, served, signal) : 'unknown';
    return { schema, crd, providerScope };
  }

  /** Reads from the cache where the provider permits a watch, else live. */
  async #readSchema(name: string, signal: AbortSignal): Promise<ResourceSnapshot['schema']> {
    const { schemas, provider, connection } = this.#options;
    const key = { namespace: connection.clusterNamespace, name };
    try {
      const schema = schemas.hasSynced
        ? schemas.get(key)
        : await getIfExists<BoundSchema>(provider, resources.boundSchemas, key, { signal });
      return schema === undefined ? { kind: 'missing' } : { kind: 'found', schema };
    } catch (error) {
      return { kind: 'unreadable', message: messageOf(error) };
    }
  }
}
