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

/** What to do for one APIServiceNamespace (spec/kube-bind-backend.md §9.3, §10.6). Pure. */
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
    // One that is missing is made again, whatever the bound: the consumer has it.
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
  // Under None a namespace stands for itself, whoever of the consumers it was made for; one that was assigned under None stays so under another isolation.
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
 * A missing cache entry proves nothing: at most it is a reason to look for proof. Under None there is none: a namespace stands for every consumer
 * that has one of its name, and the next may be about to get it.
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
  // The name of the consumer's namespace stands at the end; what is before it is the provider's choice.
  if (name.length > longestName)
    return {
      kind: 'nameTooLong',
      namespace: name,
      prefix: name.slice(0, name.length - observed.consumerNamespace.length),
    };
  return { kind: 'nameInvalid', namespace: name };
}

/** Kubernetes' and other distributors' own, ours, and those of Klutch, which makes root namespaces of a name that can be guessed. */
const neverShared = ['kube-*', 'hawser', 'hawser-*', 'klutch-bind', 'klutch-bind-*'];

/** Under None a consumer takes the namespace of its own name, also before the provider has it: whatever is put there later, the consumer could read. */
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
  // One that is open to nobody, or no namespace of a consumer at all, is told as that.
  return isOurs || isOpenedByOperator(namespace) || !isOpen(settings.dialect, namespace)
    ? undefined
    : { kind: 'notAllowed', namespace: name };
}

function held(problem: Problem): Judgement {
  return { verdict: { kind: 'held', problem } };
}
