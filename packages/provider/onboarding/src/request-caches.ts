import { type KubeObject, objectKey } from '@hawser/client';
import {
  generationChanged,
  type Setup,
  type ToKeys,
  toOwnKey,
  type Watched,
  type WatchOptions,
} from '@hawser/controller';
import {
  type APIServiceExportTemplate,
  type BindableResourcesRequest,
  type ClusterBinding,
  clusterNamespaceName,
  consumerIdentityOf,
  fixedNames,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { identityOf, longestIdentity } from './decide-request.js';
import { isFinished } from './request-outcome.js';

// Informers are shared, and these indexes depend on nothing else.
export const byIdentity = 'onboarding/identity';
const byContractName = (namespacePrefix: string): string => `onboarding/contract-name/${namespacePrefix}`;

/** Cached state of requests and their consumers. */
export interface RequestCaches {
  readonly requests: Watched<BindableResourcesRequest>;
  readonly templates: Watched<APIServiceExportTemplate>;
  /** Metadata alone. */
  readonly namespaces: Watched<KubeObject>;
  readonly bindings: Watched<ClusterBinding>;
  readonly roleBindings: Watched<KubeObject>;
  readonly kubeconfigs: Watched<Secret>;
}

/** Watches all inputs of requests. Any change may be what an unanswered request waits for, and ends its back-off. */
export function watchRequests(
  { clusters: { provider }, watch }: Setup<'provider'>,
  namespacePrefix: string,
): RequestCaches {
  // Our own status writes are no reason to retry sooner.
  const requests = watch<BindableResourcesRequest>(
    provider,
    { resource: resources.bindableResourcesRequests, kind: 'BindableResourcesRequest' },
    toOwnKey,
    { cures: generationChanged },
  );
  requests.addIndex(byIdentity, (request) => [identityOf(request)]);
  requests.addIndex(byContractName(namespacePrefix), (request) =>
    identityOf(request).length > longestIdentity ? [] : [clusterNamespaceName(namespacePrefix, identityOf(request))],
  );
  const waiting = (some: readonly BindableResourcesRequest[]): readonly string[] =>
    some.filter((request) => !isFinished(request)).map(objectKey);
  const ofConsumer = (namespace: KubeObject | undefined): readonly BindableResourcesRequest[] => {
    const identity = namespace === undefined ? undefined : consumerIdentityOf(namespace);
    return identity === undefined ? [] : requests.byIndex(byIdentity, identity);
  };
  const cures: WatchOptions<KubeObject> = { cures: true };
  const namespaces = watch(
    provider,
    { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
    (namespace) => {
      const { name } = namespace.metadata;
      return waiting([
        ...requests.byIndex(byContractName(namespacePrefix), name),
        ...ofConsumer(namespace),
        ...requests.list(name),
      ]);
    },
    cures,
  );
  namespaces.addIndex(byIdentity, (namespace) => [consumerIdentityOf(namespace) ?? []].flat());
  const inNamespace: ToKeys<KubeObject> = ({ metadata }) =>
    waiting(ofConsumer(namespaces.get(metadata.namespace ?? '')));
  return {
    requests,
    namespaces,
    templates: watch<APIServiceExportTemplate>(
      provider,
      { resource: resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
      ({ metadata }) => waiting(requests.list().filter(({ spec }) => spec.templateRef?.name === metadata.name)),
      cures,
    ),
    bindings: watch<ClusterBinding>(
      provider,
      { resource: resources.clusterBindings, kind: 'ClusterBinding' },
      inNamespace,
      cures,
    ),
    roleBindings: watch(
      provider,
      { resource: resources.roleBindings, kind: 'RoleBinding', fieldSelector: `metadata.name=${fixedNames.binder}` },
      inNamespace,
      cures,
    ),
    kubeconfigs: watch<Secret>(
      provider,
      {
        resource: resources.secrets,
        kind: 'Secret',
        fieldSelector: `metadata.name=${fixedNames.providerKubeconfigSecret}`,
      },
      inNamespace,
      cures,
    ),
  };
}
