import { type APIServiceNamespace, apiServiceNamespaceKey, type Isolation } from '@hawser/kube-bind';
import { ownerOf } from './marks.js';
import type { Observed, Settings } from './observed.js';

/** Longest name of a namespace. */
export const longestName = 63;

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;

/** Whether the API server accepts `name` for a namespace. */
export function isNamespaceName(name: string): boolean {
  return name.length <= longestName && dnsLabel.test(name);
}

type Naming = Pick<Settings, 'dialect' | 'isolation'>;

/** The contract's name under the isolation of the settings. */
function contractName({ dialect, isolation }: Naming, clusterNamespace: string, consumerNamespace: string): string {
  return isolation === 'None' ? consumerNamespace : dialect.serviceNamespaceName(clusterNamespace, consumerNamespace);
}

/** Every name that a provider can have given by the contract, the one of the settings first. */
export function contractNames(
  { dialect, isolation }: Naming,
  clusterNamespace: string,
  consumerNamespace: string,
): readonly string[] {
  const all: readonly Isolation[] = [isolation, 'Prefixed', 'None'];
  return [...new Set(all.map((one) => contractName({ dialect, isolation: one }, clusterNamespace, consumerNamespace)))];
}

/** The names of all namespaces that matter to a decision. */
export function candidateNames(
  settings: Naming,
  clusterNamespace: string,
  consumerNamespace: string,
  serviceNamespace: APIServiceNamespace | undefined,
): readonly string[] {
  const assigned = assignedName(serviceNamespace);
  return [
    ...new Set([
      ...(assigned === undefined ? [] : [assigned]),
      ...contractNames(settings, clusterNamespace, consumerNamespace),
    ]),
  ];
}

/**
 * The parts of a name before each dash: the consumer's objects and namespaces begin with the name of its cluster
 * namespace.
 */
export function prefixesOf(name: string): readonly string[] {
  const parts = name.split('-');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('-'));
}

/** `status.namespace`, which is never recomputed once it is set (spec/kube-bind-backend.md §9.3). */
export function assignedName(serviceNamespace: APIServiceNamespace | undefined): string | undefined {
  const name = serviceNamespace?.status?.namespace;
  return name === '' ? undefined : name;
}

/**
 * The namespace for an APIServiceNamespace without one: the contract's name, or, after a change of isolation, the
 * namespace that still names it as its owner. Only names of the contract count: otherwise anyone who can create
 * namespaces could claim a consumer's objects with an annotation.
 */
export function unassignedName(
  settings: Naming,
  observed: Pick<Observed, 'clusterNamespace' | 'consumerNamespace' | 'namespaces'>,
): string {
  const { clusterNamespace, consumerNamespace } = observed;
  const key = apiServiceNamespaceKey(clusterNamespace, consumerNamespace);
  const wanted = contractName(settings, clusterNamespace, consumerNamespace);
  const isOurs = (name: string): boolean => {
    const namespace = observed.namespaces.get(name);
    return namespace !== undefined && ownerOf(settings.dialect, namespace) === key;
  };
  return contractNames(settings, clusterNamespace, consumerNamespace).find(isOurs) ?? wanted;
}
