import { type APIServiceNamespace, apiServiceNamespaceKey, type Isolation, serviceNamespaceName } from '@hawser/kube-bind';
import { ownerOf } from './marks.js';
import type { Observed } from './observed.js';

/** Longest name of a namespace. */
export const longestName = 63;

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;

/** Whether the API server takes `name` for a namespace. */
export function isNamespaceName(name: string): boolean {
  return name.length <= longestName && dnsLabel.test(name);
}

/** Every name that a contract-abiding provider can have given, the one of `isolation` first. */
export function contractNames(isolation: Isolation, clusterNamespace: string, consumerNamespace: string): readonly string[] {
  const all: readonly Isolation[] = [isolation, 'Prefixed', 'None'];
  return [...new Set(all.map((one) => serviceNamespaceName(one, clusterNamespace, consumerNamespace)))];
}

/** The names of all namespaces that matter to a decision. */
export function candidateNames(isolation: Isolation, clusterNamespace: string, consumerNamespace: string, serviceNamespace: APIServiceNamespace | undefined): readonly string[] {
  const assigned = assignedName(serviceNamespace);
  return [...new Set([...(assigned === undefined ? [] : [assigned]), ...contractNames(isolation, clusterNamespace, consumerNamespace)])];
}

/** `status.namespace`, which is never recomputed once it is set (spec/kube-bind-backend.md §9.3). */
export function assignedName(serviceNamespace: APIServiceNamespace | undefined): string | undefined {
  const name = serviceNamespace?.status?.namespace;
  return name === '' ? undefined : name;
}

/**
 * The namespace that an APIServiceNamespace without one gets: the name of the contract, or, where the isolation changed since, the namespace
 * that still says it belongs to it. Only names of the contract count: an annotation alone would let anybody who may create a namespace claim
 * a consumer's objects.
 */
export function unassignedName(isolation: Isolation, observed: Observed): string {
  const { clusterNamespace, consumerNamespace } = observed;
  const key = apiServiceNamespaceKey(clusterNamespace, consumerNamespace);
  const wanted = serviceNamespaceName(isolation, clusterNamespace, consumerNamespace);
  const isOurs = (name: string): boolean => {
    const namespace = observed.namespaces.get(name);
    return namespace !== undefined && ownerOf(namespace) === key;
  };
  return contractNames(isolation, clusterNamespace, consumerNamespace).find(isOurs) ?? wanted;
}
