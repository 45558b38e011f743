import { type KubeObject, isTerminating } from '@hawser/client';
import {
  annotations,
  apiVersion,
  type BindableResourcesRequest,
  bindingResponseSecretName,
  type ClusterBinding,
  clusterNamespaceName,
  consumerIdentityOf,
  credentialWord,
  fixedNames,
  hawserAnnotations,
  type LocalSecretKeyRef,
  parseDuration,
  parseTime,
} from '@hawser/kube-bind';
import type { ObservedRequest, OnboardingSettings } from './observed-request.js';
import type { RequestDecision } from './request-decision.js';
import { isFinished, withOutcome } from './request-outcome.js';
import type { RequestProblem } from './request-problem.js';

/** Fits into a namespace's annotations beside others, and is long enough for every identity. */
export const longestIdentity = 1_024;
/** Time for rights and kubeconfig before the request reports that it waits for them. */
const patienceMs = 10_000;

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;
const secretName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const secretKey = /^[-._a-zA-Z0-9]{1,253}$/u;

/** Decides about one BindableResourcesRequest (spec/kube-bind-backend.md §6.1, §10.7). Pure. */
export function decideRequest(settings: OnboardingSettings, observed: ObservedRequest, now: number): RequestDecision {
  const { request } = observed;
  if (request === undefined || isTerminating(request)) return {};
  if (isFinished(request)) return decideFinished(request, now);
  const problem = requestProblem(settings, request, observed) ?? namespaceProblem(settings, request, observed);
  return problem === undefined ? onboard(settings, request, observed, now) : stopped(request, problem, now);
}

/**
 * The namespace of a consumer: one that claims it, and has the contract's name or is in use. Undefined: there is none
 * yet, or it is ambiguous.
 */
export function clusterNamespaceOf(
  settings: OnboardingSettings,
  identity: string,
  claiming: ObservedRequest['claiming'],
): ObservedRequest['claiming'][number] | undefined {
  const found = candidates(settings, identity, claiming);
  return found.length === 1 ? found[0] : undefined;
}

/** An annotation alone does not count: anyone who can create namespaces could obtain a consumer's credentials. */
function candidates(
  settings: OnboardingSettings,
  identity: string,
  claiming: ObservedRequest['claiming'],
): ObservedRequest['claiming'] {
  const contract = clusterNamespaceName(settings.namespacePrefix, identity);
  return claiming.filter(({ namespace, binding }) => namespace.metadata.name === contract || binding !== undefined);
}

function decideFinished(request: BindableResourcesRequest, now: number): RequestDecision {
  const { ttlAfterFinished } = request.spec;
  const ttl = ttlAfterFinished === undefined ? undefined : parseDuration(ttlAfterFinished);
  const completed = parseTime(request.status?.completionTime);
  if (ttl === undefined || completed === undefined) return {};
  const end = completed + Math.max(0, ttl);
  return now >= end ? { action: { type: 'deleteRequest', request } } : { at: end };
}

/** Problems of the request itself. */
function requestProblem(
  { requestNamespaces, isOtherConsumers }: OnboardingSettings,
  request: BindableResourcesRequest,
  { home, hasTemplate }: ObservedRequest,
): RequestProblem | undefined {
  const { namespace = '' } = request.metadata;
  const { templateRef, ttlAfterFinished } = request.spec;
  const identity = identityOf(request);
  if (requestNamespaces !== undefined && !requestNamespaces.includes(namespace))
    return { kind: 'namespaceNotAllowed', namespace };
  if (
    home !== undefined &&
    (consumerIdentityOf(home) !== undefined ||
      home.metadata.annotations?.[annotations.apiServiceNamespace] !== undefined ||
      isOtherConsumers?.(home) === true)
  )
    return { kind: 'consumersNamespace', namespace };
  if (identity === '') return { kind: 'identityMissing' };
  if (identity.length > longestIdentity)
    return { kind: 'identityTooLong', length: identity.length, longest: longestIdentity };
  if (ttlAfterFinished !== undefined && parseDuration(ttlAfterFinished) === undefined)
    return { kind: 'invalidTTL', value: ttlAfterFinished };
  const { name, key } = responseSecret(request);
  if (name.length > 253 || !secretName.test(name) || !secretKey.test(key) || key === '.' || key === '..')
    return { kind: 'secretNameInvalid', name, key };
  if (templateRef !== undefined && !hasTemplate) return { kind: 'templateNotFound', name: templateRef.name };
  return undefined;
}

/** Problems of the consumer's present or future namespace. */
function namespaceProblem(
  settings: OnboardingSettings,
  request: BindableResourcesRequest,
  { named, claiming, siblings }: ObservedRequest,
): RequestProblem | undefined {
  const identity = identityOf(request);
  const contract = clusterNamespaceName(settings.namespacePrefix, identity);
  const found = candidates(settings, identity, claiming);
  if (found.length > 1)
    return { kind: 'identityAmbiguous', names: found.map(({ namespace }) => namespace.metadata.name) };
  const [only] = found;
  if (only === undefined) {
    if (named === undefined)
      return dnsLabel.test(contract) ? undefined : { kind: 'namespaceNameInvalid', name: contract };
    return isTerminating(named)
      ? { kind: 'namespaceTerminating', name: contract }
      : { kind: 'namespaceConflict', name: contract, isOthers: consumerIdentityOf(named) !== undefined };
  }
  const { name } = only.namespace.metadata;
  if (isTerminating(only.namespace)) return { kind: 'namespaceTerminating', name };
  if (!mayAsk(settings, request, only.namespace, siblings))
    return { kind: 'identityTaken', name, namespace: request.metadata.namespace ?? '' };
  if (credentialWord('revokeCredential', only.namespace, only.binding) !== undefined)
    return { kind: 'credentialRevoked', name };
  return undefined;
}

/**
 * Whether readers of Secrets in the request's namespace may get the consumer's kubeconfig. It must be recorded. For a
 * namespace of the Go backend, an answered request for this consumer in the same namespace, as old as the consumer,
 * suffices.
 */
function mayAsk(
  settings: OnboardingSettings,
  request: BindableResourcesRequest,
  clusterNamespace: KubeObject,
  siblings: readonly BindableResourcesRequest[],
): boolean {
  if (settings.requestNamespaces !== undefined) return true;
  const written = clusterNamespace.metadata.annotations?.[hawserAnnotations.onboardingNamespaces];
  if (written !== undefined) return written.split(',').some((one) => one.trim() === request.metadata.namespace);
  const since = parseTime(clusterNamespace.metadata.creationTimestamp);
  return siblings.some((sibling) => {
    const created = parseTime(sibling.metadata.creationTimestamp);
    return (
      sibling.status?.phase === 'Succeeded' &&
      sibling.status.namespace === clusterNamespace.metadata.name &&
      identityOf(sibling) === identityOf(request) &&
      created !== undefined &&
      since !== undefined &&
      created <= since
    );
  });
}

/** The steps in order; each needs the results of earlier ones, so every result leads to a new decision. */
function onboard(
  settings: OnboardingSettings,
  request: BindableResourcesRequest,
  observed: ObservedRequest,
  now: number,
): RequestDecision {
  const identity = identityOf(request);
  const cluster = clusterNamespaceOf(settings, identity, observed.claiming);
  if (cluster === undefined)
    return { action: { type: 'createNamespace', object: newNamespace(settings, request, identity) } };
  const { name } = cluster.namespace.metadata;
  const { binding } = cluster;
  if (binding === undefined)
    return { action: { type: 'createBinding', object: newBinding(settings, request, name, identity) } };
  if (isTerminating(binding))
    return pending(request, { kind: 'notReady', name, missing: 'ClusterBinding that stays' }, now);
  if (!observed.hasRights) return pending(request, { kind: 'notReady', name, missing: 'RoleBinding' }, now);
  const { key } = binding.spec.kubeconfigSecretRef;
  const data = observed.kubeconfig?.data ?? {};
  const kubeconfig = Object.hasOwn(data, key) ? data[key] : undefined;
  if (kubeconfig === undefined || kubeconfig === '')
    return pending(request, { kind: 'notReady', name, missing: 'kubeconfig' }, now);
  return { action: { type: 'deliver', request, namespace: name, secret: responseSecret(request), kubeconfig } };
}

function newNamespace(
  { namespacePrefix }: OnboardingSettings,
  request: BindableResourcesRequest,
  identity: string,
): KubeObject {
  const marks = nonEmpty({
    [annotations.identity]: identity,
    [annotations.author]: request.spec.author,
    [hawserAnnotations.onboardingNamespaces]: request.metadata.namespace,
  });
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: clusterNamespaceName(namespacePrefix, identity), annotations: marks },
  };
}

function newBinding(
  { prettyName }: OnboardingSettings,
  request: BindableResourcesRequest,
  namespace: string,
  identity: string,
): ClusterBinding {
  const called = request.spec.clusterIdentity.prettyName;
  const marks = nonEmpty({
    [annotations.identity]: identity,
    [annotations.author]: request.spec.author,
    [annotations.clusterPrettyName]: called === undefined || called === '' ? request.metadata.name : called,
  });
  return {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: fixedNames.clusterBinding, namespace, annotations: marks },
    spec: {
      providerPrettyName: prettyName,
      kubeconfigSecretRef: { name: fixedNames.providerKubeconfigSecret, key: fixedNames.kubeconfigKey },
    },
  };
}

function nonEmpty(marks: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(marks).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

/** The destination of the answer (spec/kube-bind-backend.md §10.7 step 3). */
export function responseSecret({ metadata, spec }: BindableResourcesRequest): LocalSecretKeyRef {
  const asked = spec.kubeconfigSecretRef;
  if (asked === undefined)
    return { name: bindingResponseSecretName(metadata.name), key: fixedNames.bindingResponseKey };
  return { name: asked.name, key: asked.key === '' ? fixedNames.kubeconfigKey : asked.key };
}

export function identityOf({ spec }: BindableResourcesRequest): string {
  return spec.clusterIdentity.identity ?? '';
}

function pending(request: BindableResourcesRequest, problem: RequestProblem, now: number): RequestDecision {
  const patience = (parseTime(request.metadata.creationTimestamp) ?? now) + patienceMs;
  return now < patience ? { at: patience } : stopped(request, problem, now);
}

function stopped(request: BindableResourcesRequest, problem: RequestProblem, now: number): RequestDecision {
  const outcome = { kind: 'problem', problem } as const;
  return withOutcome(request, outcome, now) === request.status
    ? {}
    : { action: { type: 'writeStatus', request, outcome } };
}
