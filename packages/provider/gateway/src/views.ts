import { type KubeObject, type Resource, isTerminating } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  type ConsumerView,
  type ExportObject,
  answered,
  consumerPolicyName,
  consumerView,
  policyResources,
  policyState,
  prefixes,
} from '@hawser/exportrbac';
import { type Informer } from '@hawser/informer';
import { isClusterNamespace } from '@hawser/klutch';
import {
  type APIServiceNamespace,
  type BoundSchema,
  type Dialect,
  isClusterNamespaceOf,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { described } from './described.js';
import type { Described } from './printer.js';

const BY_NAMESPACE = 'gateway/namespace';
const BY_PREFIX = 'gateway/prefix';

/** What consumers of one dialect may see, by the provider's objects. Follows changes at once. */
export class DialectViews {
  readonly dialect: Dialect;
  readonly #namespaces: Informer<KubeObject>;
  readonly #exports: Informer<ExportObject>;
  readonly #schemas: Informer<BoundSchema> | undefined;
  readonly #serviceNamespaces: Informer<APIServiceNamespace>;
  readonly #accounts: Informer<KubeObject>;
  readonly #policies: Informer<AdmissionPolicy>;
  readonly #policyBindings: Informer<AdmissionPolicyBinding>;
  readonly #views = new Map<string, ConsumerView>();

  /** @param changed called for each consumer with a change; undefined: perhaps all. */
  constructor(
    { informers }: Cluster,
    scope: Scope,
    dialect: Dialect,
    changed: (clusterNamespace: string | undefined) => void,
  ) {
    const kinds = dialect.resources;
    this.dialect = dialect;
    this.#namespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    this.#exports = scope.informer(informers.acquire<ExportObject>({ resource: kinds.apiServiceExports }));
    this.#schemas =
      dialect.schema === 'BoundSchemas'
        ? scope.informer(informers.acquire<BoundSchema>({ resource: resources.boundSchemas }))
        : undefined;
    this.#serviceNamespaces = scope.informer(
      informers.acquire<APIServiceNamespace>({ resource: kinds.apiServiceNamespaces }),
    );
    this.#accounts = scope.informer(
      informers.acquire<KubeObject>({
        resource: resources.serviceAccounts,
        fieldSelector: `metadata.name=${dialect.names.binder}`,
        projection: 'metadata',
      }),
    );
    const fieldSelector = `metadata.name=${consumerPolicyName(dialect)}`;
    const policies = informers.acquire<AdmissionPolicy>({ resource: policyResources.policies, fieldSelector });
    const bindings = informers.acquire<AdmissionPolicyBinding>({ resource: policyResources.bindings, fieldSelector });
    scope.own(() => {
      policies.release();
      bindings.release();
    });
    this.#policies = policies;
    this.#policyBindings = bindings;
    this.#serviceNamespaces.addIndex(BY_NAMESPACE, ({ status }) =>
      status?.namespace === undefined ? [] : [status.namespace],
    );
    this.#namespaces.addIndex(BY_PREFIX, (namespace) =>
      isClusterNamespace(namespace) ? prefixes(namespace.metadata.name) : [],
    );
    const one = (clusterNamespace = ''): void => {
      this.#views.delete(clusterNamespace);
      changed(clusterNamespace);
    };
    const all = (): void => {
      this.#views.clear();
      changed(undefined);
    };
    const ofNamespace = ({ metadata: { namespace } }: KubeObject): void => {
      one(namespace);
    };
    scope.onChange(this.#exports, ofNamespace);
    if (this.#schemas !== undefined) scope.onChange(this.#schemas, ofNamespace);
    scope.onChange(this.#serviceNamespaces, ({ metadata: { namespace = '' }, status }) => {
      // Other consumers of the namespace gain or lose their sole use of it.
      for (const each of new Set([namespace, ...this.#assignedTo(status?.namespace ?? '')])) one(each);
    });
    scope.onChange(this.#accounts, ofNamespace);
    scope.onChange(this.#namespaces, ({ metadata: { name } }) => {
      for (const each of new Set([name, ...prefixes(name), ...this.#assignedTo(name)])) one(each);
    });
    scope.onChange(policies, all);
    scope.onChange(bindings, all);
  }

  /** Resolves when the caches are filled. */
  async filled(signal: AbortSignal): Promise<void> {
    await Promise.all([answered(this.#policies, signal), answered(this.#policyBindings, signal)]);
  }

  /** Whether a cluster namespace of this dialect exists, and its consumer ServiceAccount has that uid. */
  isConsumer(clusterNamespace: string, accountUID: string): boolean {
    const namespace = this.#namespaces.get(clusterNamespace);
    const account = this.#accounts.get({ namespace: clusterNamespace, name: this.dialect.names.binder });
    return (
      namespace !== undefined &&
      !isTerminating(namespace) &&
      isClusterNamespaceOf(this.dialect, namespace) &&
      account?.metadata.uid === accountUID &&
      !isTerminating(account)
    );
  }

  viewOf(clusterNamespace: string): ConsumerView {
    const known = this.#views.get(clusterNamespace);
    if (known !== undefined) return known;
    const view = consumerView(this.dialect, {
      clusterNamespace,
      namespace: this.#namespaces.get(clusterNamespace),
      prefixSharedWith: this.#namespaces.byIndex(BY_PREFIX, clusterNamespace)[0]?.metadata.name,
      exports: this.#exports.list(clusterNamespace),
      boundSchemas: new Map(this.#schemas?.list(clusterNamespace).map((schema) => [schema.metadata.name, schema])),
      serviceNamespaces: this.#serviceNamespaces.list(clusterNamespace).flatMap(({ metadata, status }) =>
        status?.namespace === undefined || status.namespace === ''
          ? []
          : [
              {
                consumerNamespace: metadata.name,
                name: status.namespace,
                isShared: this.#assignedTo(status.namespace).some((other) => other !== clusterNamespace),
                namespace: this.#namespaces.get(status.namespace),
              },
            ],
      ),
      policy: this.#policy(),
    });
    this.#views.set(clusterNamespace, view);
    return view;
  }

  /** A version of the API server at which the namespace was already in its current state; undefined: none. */
  versionOf(namespace: string): string | undefined {
    return this.#namespaces.get(namespace)?.metadata.resourceVersion;
  }

  /**
   * The description of a resource version for the consumer: from its BoundSchema, or from an export that carries the
   * schema.
   */
  described(clusterNamespace: string, { group, version, resource }: Resource): Described | undefined {
    const name = resourceGroupName({ group, resource });
    const schema = this.#schemas?.get({ namespace: clusterNamespace, name })?.spec;
    if (schema !== undefined) return described(group, schema.names.kind, schema.versions, version);
    for (const { spec } of this.#exports.list(clusterNamespace))
      if ('names' in spec && spec.group === group && spec.names.plural === resource)
        return described(group, spec.names.kind, spec.versions, version);
    return undefined;
  }

  #policy() {
    const name = consumerPolicyName(this.dialect);
    return policyState(this.dialect, this.#policies.get(name), this.#policyBindings.get(name));
  }

  #assignedTo(namespace: string): readonly string[] {
    return this.#serviceNamespaces.byIndex(BY_NAMESPACE, namespace).map(({ metadata }) => metadata.namespace ?? '');
  }
}
