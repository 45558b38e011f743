import { isTerminating, type KubeObject } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
import { isClusterNamespace } from '@hawser/klutch';
import { type APIServiceNamespace, type BoundSchema, controllerName, type Dialect, resources } from '@hawser/kube-bind';
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  consumerPolicyName,
  policyResources,
  type PolicyState,
  policyState,
} from './admission-policy.js';
import { answered } from './answered.js';
import { isBackendBindingName, isBackendRoleName } from './backend-rights.js';
import type { ExportObject } from './export-object.js';
import { consumersOf } from './marks.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import { concernsRights, type RequestObject } from './request-rights.js';

/** Caches of the provider's cluster. */
export class RightsCaches {
  readonly exports;
  readonly requests;
  /** None where exports carry their schemas. */
  readonly boundSchemas;
  readonly serviceNamespaces;
  readonly namespaces;
  readonly roles;
  readonly roleBindings;
  readonly clusterRoleBindings;
  readonly policies;
  readonly policyBindings;
  readonly #dialect: Dialect;
  readonly #byNamespace: string;
  readonly #byConsumer: string;
  readonly #byPrefix: string;

  constructor(cluster: Cluster, scope: Scope, dialect: Dialect) {
    const name = controllerName('exportrbac', dialect);
    this.#dialect = dialect;
    this.#byNamespace = `${name}/namespace`;
    this.#byConsumer = `${name}/consumer`;
    this.#byPrefix = `${name}/prefix`;
    const kinds = dialect.resources;
    this.exports = scope.cache<ExportObject>(cluster, { resource: kinds.apiServiceExports });
    this.requests = scope.cache<RequestObject>(cluster, { resource: kinds.apiServiceExportRequests });
    this.boundSchemas =
      dialect.schema === 'BoundSchemas'
        ? scope.cache<BoundSchema>(cluster, { resource: resources.boundSchemas })
        : undefined;
    this.serviceNamespaces = scope.cache<APIServiceNamespace>(cluster, { resource: kinds.apiServiceNamespaces });
    this.namespaces = scope.cache<KubeObject>(cluster, { resource: resources.namespaces, projection: 'metadata' });
    this.roles = scope.cache<RoleObject>(cluster, { resource: resources.clusterRoles });
    this.roleBindings = scope.cache<BindingObject>(cluster, { resource: resources.roleBindings });
    this.clusterRoleBindings = scope.cache<BindingObject>(cluster, { resource: resources.clusterRoleBindings });
    const fieldSelector = `metadata.name=${consumerPolicyName(dialect)}`;
    // Without read access most rights can still be granted: wait only for an answer.
    this.policies = cluster.informers.acquire<AdmissionPolicy>({ resource: policyResources.policies, fieldSelector });
    this.policyBindings = cluster.informers.acquire<AdmissionPolicyBinding>({
      resource: policyResources.bindings,
      fieldSelector,
    });
    scope.own(() => {
      this.policies.release();
      this.policyBindings.release();
    });
    this.#index();
  }

  /** Earlier, rights that need the policy would be withdrawn. */
  async filled(scope: Scope): Promise<void> {
    await Promise.all([
      answered(this.policies, scope.signal),
      answered(this.policyBindings, scope.signal),
      scope.synced(),
    ]);
  }

  /** Cluster namespaces with exports. */
  consumers(): ReadonlySet<string> {
    return new Set(this.exports.list().map(({ metadata }) => metadata.namespace ?? ''));
  }

  /** Requests that may need a report on rights. */
  requestsOf(clusterNamespace: string): readonly RequestObject[] {
    return this.requests.byIndex(this.#byConsumer, clusterNamespace);
  }

  /** RoleBindings and ClusterRoleBindings for a consumer, without terminating ones. */
  bindingsOf(clusterNamespace: string): readonly BindingObject[] {
    return [
      ...this.roleBindings.byIndex(this.#byConsumer, clusterNamespace),
      ...this.clusterRoleBindings.byIndex(this.#byConsumer, clusterNamespace),
    ].filter((one) => !isTerminating(one));
  }

  /** The APIServiceNamespaces that a namespace is assigned to. */
  assignedTo(namespace: string): readonly APIServiceNamespace[] {
    return this.serviceNamespaces.byIndex(this.#byNamespace, namespace);
  }

  /** Another cluster namespace that begins with this one's prefix. */
  prefixSharedWith(clusterNamespace: string): string | undefined {
    return this.namespaces.byIndex(this.#byPrefix, clusterNamespace)[0]?.metadata.name;
  }

  policy(): PolicyState {
    const name = consumerPolicyName(this.#dialect);
    return policyState(this.#dialect, this.policies.get(name), this.policyBindings.get(name));
  }

  /** Objects with the names or labels of another backend's shared grants. */
  ofOtherBackend(): { readonly bindings: readonly BindingObject[]; readonly roles: readonly RoleObject[] } {
    return {
      bindings: this.clusterRoleBindings
        .list()
        .filter(({ metadata }) => isBackendBindingName(this.#dialect, metadata.name)),
      roles: this.roles.list().filter((role) => isBackendRoleName(this.#dialect, role)),
    };
  }

  #index(): void {
    const ofBinding = (binding: BindingObject): readonly string[] => consumersOfBinding(this.#dialect, binding);
    this.requests.addIndex(this.#byConsumer, (request) =>
      concernsRights(request) ? [request.metadata.namespace ?? ''] : [],
    );
    this.serviceNamespaces.addIndex(this.#byNamespace, ({ status }) =>
      status?.namespace === undefined ? [] : [status.namespace],
    );
    this.roleBindings.addIndex(this.#byConsumer, ofBinding);
    this.clusterRoleBindings.addIndex(this.#byConsumer, ofBinding);
    this.namespaces.addIndex(this.#byPrefix, (namespace) =>
      isClusterNamespace(namespace) ? prefixes(namespace.metadata.name) : [],
    );
  }
}

/** The consumers of a binding, by its subjects or its name. */
export function consumersOfBinding(dialect: Dialect, binding: BindingObject): readonly string[] {
  const [stem, consumer, right] = binding.metadata.name.split(':');
  const named = stem === dialect.names.binder && consumer !== undefined && right !== undefined ? [consumer] : [];
  return [...new Set([...consumersOf(dialect, binding), ...named])];
}

/** `a-b-c`: `a` and `a-b`. */
export function prefixes(text: string): readonly string[] {
  const parts = text.split('-');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('-'));
}
