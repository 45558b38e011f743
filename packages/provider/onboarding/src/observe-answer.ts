import { type Client, getIfExists } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import {
  type BindableResourcesRequest,
  type ClusterBinding,
  fixedNames,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import type { ObservedAnswer } from './decide-answer.js';

export interface AnswerSources {
  readonly client: Client;
  readonly bindings: InformerHandle<ClusterBinding>;
  readonly kubeconfigs: InformerHandle<Secret>;
  readonly requestNamespaces: readonly string[] | undefined;
}

/** Undefined: the request has no answer, or one that is not checked. */
export async function observeAnswer(
  { client, bindings, kubeconfigs, requestNamespaces }: AnswerSources,
  request: BindableResourcesRequest | undefined,
  signal: AbortSignal,
): Promise<ObservedAnswer | undefined> {
  const asked = request?.status?.kubeconfigSecretRef;
  const kubeconfig = kubeconfigOf(request, bindings, kubeconfigs);
  if (request === undefined || kubeconfig === undefined || asked === undefined) return undefined;
  const { namespace = '' } = request.metadata;
  if (requestNamespaces?.includes(namespace) === false) return undefined;
  const answer = await getIfExists<Secret>(client, resources.secrets, { namespace, name: asked.name }, { signal });
  return answer === undefined ? undefined : { request, answer, key: asked.key, kubeconfig };
}

/** Base64. Undefined: the consumer has none under the contract's name. */
function kubeconfigOf(
  request: BindableResourcesRequest | undefined,
  bindings: InformerHandle<ClusterBinding>,
  kubeconfigs: InformerHandle<Secret>,
): string | undefined {
  const namespace = request?.status?.namespace;
  const wanted = bindings.get({ namespace, name: fixedNames.clusterBinding })?.spec.kubeconfigSecretRef;
  if (wanted?.name !== fixedNames.providerKubeconfigSecret) return undefined;
  const data = kubeconfigs.get({ namespace, name: wanted.name })?.data ?? {};
  return Object.hasOwn(data, wanted.key) ? data[wanted.key] : undefined;
}
