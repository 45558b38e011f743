import { type KubeObject, isTerminating } from '@hawser/client';
import { isClusterNamespace } from '@hawser/klutch';
import { type APIServiceNamespace, apiServiceNamespaceKey } from '@hawser/kube-bind';
import type { Judgement } from './decision.js';
import { isCreatedByUs, isOpen, isOpenedByOperator, ownerOf, ownershipAnnotations } from './marks.js';
import { matchesAny } from './name-pattern.js';
import type { Observed, Settings } from './observed.js';
import { missingOwners } from './owners.js';
import { assignedName, contractNames, isNamespaceName, longestName, prefixesOf, unassignedName } from './placement.js';
import type { Problem } from './problem.js';

/** Decides about one APIServiceNamespace (spec/kube-bind-backend.md §9.3, §10.6). Pure. */
export function decide(settings: Settings, observed: Observed): Judgement {
  const { serviceNamespace } = observed;
  if (serviceNamespace === undefined) return decideAbandoned(settings, observed);
  if (isTerminating(serviceNamespace)) return { verdict: { kind: 'absent' } };
  const assigned = assignedName(serviceNamespace);
  const name = assigned ?? unassignedName(settings, observed);
  const problem =
    nameProblem(settings, observed, name) ??
    (assigned === undefined ? sharedNameProblem(settings, observed, name) : undefined);
  if (problem !== undefined) return held(problem);
  const namespace = observed.namespaces.get(name);
  if (namespace === undefined) {
    // A missing assigned one is recreated despite the limit: the consumer has it.
    if (assigned === undefined && observed.made >= settings.namespacesPerConsumer)
      return held({ kind: 'tooMany', most: settings.namespacesPerConsumer });
    return {
      action: {
        type: 'createNamespace',
        name,
        consumer: observed.clusterNamespace,
        annotations: ownershipAnnotations(settings.dialect, observed.clusterNamespace, observed.consumerNamespace),
      },
      verdict: { kind: 'progressing' },
    };
  }
  return decideExisting(settings, observed, serviceNamespace, namespace, assigned);
}

function decideExisting(
  settings: Settings,
  observed: Observed,
  serviceNamespace: APIServiceNamespace,
  namespace: KubeObject,
  assigned: string | undefined,
): Judgement {
  const { name } = namespace.metadata;
  if (isTerminating(namespace)) return held({ kind: 'terminating', namespace: name });
  if (isClusterNamespace(namespace)) return held({ kind: 'reserved', namespace: name });
  const owner = ownerOf(settings.dialect, namespace);
  const isOurs = owner === apiServiceNamespaceKey(observed.clusterNamespace, observed.consumerNamespace);
  // Under None a namespace is shared, whichever consumer it was made for; one assigned under None stays shared under
  // another isolation.
  const isShared =
    settings.isolation === 'None' ||
    (assigned !== undefined && owner === undefined && assigned === observed.consumerNamespace);
  if (!isOurs && !isShared) return held({ kind: 'conflict', namespace: name, owner, assigned: assigned !== undefined });
  if (assigned !== undefined) {
    const owners = missingOwners(settings.dialect, serviceNamespace, namespace, observed.exports);
    return {
      ...(owners.length === 0 ? {} : { action: { type: 'addOwners', serviceNamespace, owners } }),
      verdict: { kind: 'assigned', namespace: name },
    };
  }
  if (!isOpen(settings.dialect, namespace)) return held({ kind: 'notOpen', namespace: name });
  return {
    action: { type: 'assign', serviceNamespace, namespace: name, shared: !isOurs },
    verdict: { kind: 'assigned', namespace: name },
  };
}

/**
 * Decides about a namespace without its APIServiceNamespace. A missing cache entry proves nothing; it is only a reason
 * to look for proof. Under None there is no proof: the namespace belongs to every consumer with one of its name, and
 * the next may be about to get it.
 */
function decideAbandoned(settings: Settings, observed: Observed): Judgement {
  const absent: Judgement = { verdict: { kind: 'absent' } };
  if (settings.reclaim === 'Never' || settings.isolation === 'None') return absent;
  const key = apiServiceNamespaceKey(observed.clusterNamespace, observed.consumerNamespace);
  for (const name of contractNames(settings, observed.clusterNamespace, observed.consumerNamespace)) {
    const namespace = observed.namespaces.get(name);
    if (
      namespace === undefined ||
      isTerminating(namespace) ||
      !isCreatedByUs(namespace) ||
      ownerOf(settings.dialect, namespace) !== key
    )
      continue;
    return { action: { type: 'reclaim', namespace }, verdict: { kind: 'absent' } };
  }
  return absent;
}

function nameProblem(settings: Settings, observed: Observed, name: string): Problem | undefined {
  if (settings.reservedNamespaces.includes(name) || name === observed.clusterNamespace)
    return { kind: 'reserved', namespace: name };
  if (isNamespaceName(name)) return undefined;
  // The consumer's namespace name is the end; the provider chooses the start.
  if (name.length > longestName)
    return {
      kind: 'nameTooLong',
      namespace: name,
      prefix: name.slice(0, name.length - observed.consumerNamespace.length),
    };
  return { kind: 'nameInvalid', namespace: name };
}

/**
 * Namespaces of Kubernetes and its distributors, of Hawser, and of Klutch, whose root namespaces have predictable
 * names.
 */
const neverShared = ['kube-*', 'hawser', 'hawser-*', 'klutch-bind', 'klutch-bind-*'];

/**
 * Under None a consumer takes the namespace of its own name, even before the provider has it: it could read whatever is
 * put there later.
 */
function sharedNameProblem(settings: Settings, observed: Observed, name: string): Problem | undefined {
  if (settings.isolation !== 'None' || name !== observed.consumerNamespace) return undefined;
  const isOfConsumer = prefixesOf(name).some((prefix) => {
    const namespace = observed.namespaces.get(prefix);
    return namespace !== undefined && isClusterNamespace(namespace);
  });
  if (isOfConsumer || matchesAny(name, [...neverShared, ...settings.ownPrefixes.map((prefix) => `${prefix}*`)]))
    return { kind: 'reserved', namespace: name };
  if (matchesAny(name, settings.consumerNamespaces)) return undefined;
  const namespace = observed.namespaces.get(name);
  if (namespace === undefined) return { kind: 'notAllowed', namespace: name };
  const isOurs =
    ownerOf(settings.dialect, namespace) ===
    apiServiceNamespaceKey(observed.clusterNamespace, observed.consumerNamespace);
  // A closed namespace, or one of no consumer, is reported as that.
  return isOurs || isOpenedByOperator(namespace) || !isOpen(settings.dialect, namespace)
    ? undefined
    : { kind: 'notAllowed', namespace: name };
}

function held(problem: Problem): Judgement {
  return { verdict: { kind: 'held', problem } };
}
