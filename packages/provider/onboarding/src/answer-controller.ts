import { type Client, objectKey } from '@hawser/client';
import { type Controller, type Setup, controller } from '@hawser/controller';
import {
  type BindableResourcesRequest,
  type ClusterBinding,
  fixedNames,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { type AnswerAction, decideAnswer } from './decide-answer.js';
import { fieldManager } from './field-manager.js';
import { observeAnswer } from './observe-answer.js';

export interface AnswerOptions {
  /**
   * As of `createOnboardingController`: the only namespaces with checked answers. Answers elsewhere may be
   * inaccessible. Default: all.
   */
  readonly requestNamespaces?: readonly string[] | undefined;
}

const byNamespace = 'onboarding-answers/namespace';

/**
 * Keeps answers to BindableResourcesRequests in step with the kubeconfigs that they copy, while the credential is the
 * same. A consumer that fetches its answer after the provider's certificate authority was replaced can then still use
 * it. An answer with a replaced token stays unchanged, and so does a foreign one.
 */
export function createAnswerController({ requestNamespaces }: AnswerOptions = {}): Controller<'provider'> {
  return controller('onboarding-answers', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
    const requests = watch<BindableResourcesRequest>(
      provider,
      { resource: resources.bindableResourcesRequests, kind: 'BindableResourcesRequest' },
      () => [],
    );
    const bindings = watch<ClusterBinding>(
      provider,
      { resource: resources.clusterBindings, kind: 'ClusterBinding' },
      () => [],
    );
    requests.addIndex(byNamespace, ({ status }) =>
      status?.phase === 'Succeeded' && status.namespace !== undefined ? [status.namespace] : [],
    );
    // Answers are not watched, to avoid the right to list Secrets: each is checked at the start, and when its
    // kubeconfig changes.
    const kubeconfigs = watch<Secret>(
      provider,
      {
        resource: resources.secrets,
        kind: 'Secret',
        fieldSelector: `metadata.name=${fixedNames.providerKubeconfigSecret}`,
      },
      ({ metadata }) => requests.byIndex(byNamespace, metadata.namespace ?? '').map(objectKey),
      { priority: 'background' },
    );
    return {
      concurrency: 2,
      fieldManager,
      initial: () =>
        requests
          .list()
          .filter(({ status }) => status?.phase === 'Succeeded')
          .map(objectKey),
      observe: (key, signal) =>
        observeAnswer({ client: provider.client, bindings, kubeconfigs, requestNamespaces }, requests.get(key), signal),
      decide: decideAnswer,
      act: (action, signal) => writeAnswer(provider.client, action, signal),
    };
  });
}

async function writeAnswer(
  client: Client,
  {
    answer: {
      metadata: { namespace, name, uid, resourceVersion },
    },
    key,
    text,
  }: AnswerAction,
  signal: AbortSignal,
): Promise<void> {
  const patch = { metadata: { uid, resourceVersion }, data: { [key]: text } };
  await client.patch(
    resources.secrets,
    { namespace, name },
    { type: 'merge', patch },
    { fieldManager, representation: 'metadata', signal },
  );
}
