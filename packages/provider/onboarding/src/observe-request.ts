import { type Client, getIfExists } from '@hawser/client';
import { type ClusterBinding, clusterNamespaceName, fixedNames, resources, type Secret } from '@hawser/kube-bind';
import { clusterNamespaceOf, identityOf } from './decide-request.js';
import type { ObservedRequest, OnboardingSettings } from './observed-request.js';
import { byIdentity, type RequestCaches } from './request-caches.js';
import { isFinished } from './request-outcome.js';

/**
 * Collects the inputs of a request's answer. @throws {ApiError} of a kubeconfig that is not in the cache and cannot be
 * read
 */
export async function observeRequest(
  client: Client,
  caches: RequestCaches,
  settings: OnboardingSettings,
  key: string,
  signal: AbortSignal,
): Promise<ObservedRequest> {
  const { requests, templates, namespaces, bindings, roleBindings } = caches;
  const request = requests.get(key);
  if (request === undefined)
    return {
      request,
      home: undefined,
      hasTemplate: false,
      named: undefined,
      claiming: [],
      hasRights: false,
      kubeconfig: undefined,
      siblings: [],
    };
  const identity = identityOf(request);
  const { namespace = '' } = request.metadata;
  const claiming = (identity === '' ? [] : namespaces.byIndex(byIdentity, identity)).map((one) => ({
    namespace: one,
    binding: bindings.get({ namespace: one.metadata.name, name: fixedNames.clusterBinding }),
  }));
  const cluster = clusterNamespaceOf(settings, identity, claiming);
  const home = cluster?.namespace.metadata.name ?? '';
  return {
    request,
    home: namespaces.get(namespace),
    hasTemplate: request.spec.templateRef !== undefined && templates.get(request.spec.templateRef.name) !== undefined,
    named: namespaces.get(clusterNamespaceName(settings.namespacePrefix, identity)),
    claiming,
    hasRights: roleBindings.get({ namespace: home, name: fixedNames.binder }) !== undefined,
    kubeconfig:
      cluster?.binding === undefined || isFinished(request)
        ? undefined
        : await kubeconfigOf(client, caches, cluster.binding, signal),
    siblings: requests.list(namespace).filter((one) => one !== request),
  };
}

async function kubeconfigOf(
  client: Client,
  { kubeconfigs }: RequestCaches,
  {
    metadata: { namespace },
    spec: {
      kubeconfigSecretRef: { name },
    },
  }: ClusterBinding,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  if (name === fixedNames.providerKubeconfigSecret) return kubeconfigs.get({ namespace, name });
  return getIfExists<Secret>(client, resources.secrets, { namespace, name }, { signal });
}
